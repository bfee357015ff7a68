import type { SharedMigration } from "../shared-migration.ts";
import { WORDS } from "../words.ts";
import type { Words } from "../words.ts";

const TABLE = "kept_contents";
const BLOB_KEY = "kept_contents_blob_id_foreign";

/** Deleted content of views, and the time of deletion of manifests that views still show. */
export const Migration20261126115500_kept_contents: SharedMigration = {
  name: "Migration20261126115500_kept_contents",
  up: {
    sqlite: [
      createTable(
        WORDS.sqlite,
        `"blob_id" bigint not null, constraint "${BLOB_KEY}" foreign key ("blob_id")
          references "blobs" ("id") on delete restrict`,
      ),
      ...indexes(),
      `alter table "oci_manifests" add column "deleted_at" datetime null`,
    ],
    postgresql: [
      createTable(WORDS.postgresql, `"blob_id" bigint not null`),
      ...indexes(),
      `alter table "${TABLE}" add constraint "${BLOB_KEY}" foreign key ("blob_id")
        references "blobs" ("id") on delete restrict`,
      `alter table "oci_manifests" add column "deleted_at" timestamptz(3) null`,
    ],
    mysql: [
      createTable(WORDS.mysql, `"blob_id" bigint unsigned not null`),
      ...indexes(),
      `alter table "${TABLE}" add constraint "${BLOB_KEY}" foreign key ("blob_id")
        references "blobs" ("id") on delete restrict`,
      `alter table "oci_manifests" add "deleted_at" datetime(3) null`,
    ],
    // A test compares SQL Server's statements with those that MikroORM generates.
    mssql: [
      `create table [kept_contents] ([id] bigint identity(1,1) not null constraint
        [kept_contents_pkey] primary key, [protocol] nvarchar(16) not null, [name]
        nvarchar(255) not null, [item] nvarchar(256) not null, [value] nvarchar(max) not
        null, [content] nvarchar(max) not null, [lost_at] datetime2(3) not null, [blob_id]
        bigint not null)`,
      `create index [kept_contents_item] on [kept_contents] ([protocol], [name], [item])`,
      `create index [kept_contents_lost_at_index] on [kept_contents] ([lost_at])`,
      `create index [kept_contents_blob_id_index] on [kept_contents] ([blob_id])`,
      `alter table [kept_contents] add constraint [kept_contents_blob_id_foreign] foreign key
        ([blob_id]) references [blobs] ([id]) on update no action on delete no action`,
      `alter table [oci_manifests] add [deleted_at] datetime2(3) null`,
    ],
  },
  down: {
    sqlite: [`drop table if exists "${TABLE}"`, ...dropColumn()],
    postgresql: [`drop table if exists "${TABLE}"`, ...dropColumn()],
    mysql: [`drop table if exists "${TABLE}"`, ...dropColumn()],
    mssql: [],
  },
};

function createTable({ rowId, text, longText, time, tableEnd }: Words, blob: string): string {
  return `create table "${TABLE}" ("id" ${rowId}, "protocol" ${text(16)} not null,
    "name" ${text(255)} not null, "item" ${text(256)} not null, "value" ${longText} not null,
    "content" ${longText} not null, "lost_at" ${time} not null, ${blob})${tableEnd}`;
}

function indexes(): readonly string[] {
  return [
    `create index "kept_contents_item" on "${TABLE}" ("protocol", "name", "item")`,
    `create index "kept_contents_lost_at_index" on "${TABLE}" ("lost_at")`,
    `create index "kept_contents_blob_id_index" on "${TABLE}" ("blob_id")`,
  ];
}

function dropColumn(): readonly string[] {
  return [`alter table "oci_manifests" drop column "deleted_at"`];
}
