import type { SharedMigration } from "../shared-migration.ts";

/** Contents and keys of running releases, and their outcome. */
export const Migration20261126143235_release_contents: SharedMigration = {
  name: "Migration20261126143235_release_contents",
  up: {
    sqlite: [
      `create table \`held_contents\` (\`id\` integer not null primary key autoincrement,
        \`release_id\` text not null, \`protocol\` text not null, \`name\` text not null,
        \`item\` text not null, \`content\` text not null, \`blob_id\` bigint not null,
        constraint \`held_contents_blob_id_foreign\` foreign key (\`blob_id\`) references
        \`blobs\` (\`id\`) on delete restrict)`,
      `create index \`held_contents_blob_id_index\` on \`held_contents\` (\`blob_id\`)`,
      `create index \`held_contents_release_id_index\` on \`held_contents\` (\`release_id\`)`,
      `create index \`held_contents_item\` on \`held_contents\` (\`protocol\`, \`name\`,
        \`item\`)`,
      `create table \`lent_keys\` (\`release_id\` text not null, \`target\` text not null,
        \`name\` text not null, \`sealed\` blob not null, \`expires_at\` datetime not
        null, primary key (\`release_id\`, \`target\`, \`name\`))`,
      `create table \`release_lanes\` (\`place\` text not null primary key, \`release_id\` text
        not null)`,
      `create index \`release_lanes_release_id_index\` on \`release_lanes\` (\`release_id\`)`,
      `alter table \`release_items\` add column \`served\` text null`,
      `alter table \`releases\` add column \`outcome\` text null`,
    ],
    postgresql: [
      `create table "held_contents" ("id" bigserial primary key, "release_id" varchar(36) collate
        "C" not null, "protocol" varchar(16) collate "C" not null, "name" varchar(255)
        collate "C" not null, "item" varchar(256) collate "C" not null, "content" text not
        null, "blob_id" bigint not null)`,
      `create index "held_contents_blob_id_index" on "held_contents" ("blob_id")`,
      `create index "held_contents_release_id_index" on "held_contents" ("release_id")`,
      `create index "held_contents_item" on "held_contents" ("protocol", "name", "item")`,
      `create table "lent_keys" ("release_id" varchar(36) collate "C" not null, "target"
        varchar(64) collate "C" not null, "name" varchar(255) collate "C" not null,
        "sealed" bytea not null, "expires_at" timestamptz(3) not null, primary key
        ("release_id", "target", "name"))`,
      `create table "release_lanes" ("place" varchar(64) collate "C" not null, "release_id"
        varchar(36) collate "C" not null, primary key ("place"))`,
      `create index "release_lanes_release_id_index" on "release_lanes" ("release_id")`,
      `alter table "release_items" add "served" text null`,
      `alter table "releases" add "outcome" text null`,
      `alter table "held_contents" add constraint "held_contents_blob_id_foreign" foreign key
        ("blob_id") references "blobs" ("id") on delete restrict`,
    ],
    mysql: [
      `create table \`held_contents\` (\`id\` bigint unsigned not null auto_increment primary
        key, \`release_id\` varchar(36) collate utf8mb4_bin not null, \`protocol\`
        varchar(16) collate utf8mb4_bin not null, \`name\` varchar(255) collate
        utf8mb4_bin not null, \`item\` varchar(256) collate utf8mb4_bin not null,
        \`content\` longtext not null, \`blob_id\` bigint unsigned not null) default
        character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`held_contents\` add index \`held_contents_blob_id_index\` (\`blob_id\`)`,
      `alter table \`held_contents\` add index \`held_contents_release_id_index\`
        (\`release_id\`)`,
      `alter table \`held_contents\` add index \`held_contents_item\` (\`protocol\`, \`name\`,
        \`item\`)`,
      `create table \`lent_keys\` (\`release_id\` varchar(36) collate utf8mb4_bin not null,
        \`target\` varchar(64) collate utf8mb4_bin not null, \`name\` varchar(255) collate
        utf8mb4_bin not null, \`sealed\` longblob not null, \`expires_at\` datetime(3) not
        null, primary key (\`release_id\`, \`target\`, \`name\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `create table \`release_lanes\` (\`place\` varchar(64) collate utf8mb4_bin not null,
        \`release_id\` varchar(36) collate utf8mb4_bin not null, primary key (\`place\`))
        default character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`release_lanes\` add index \`release_lanes_release_id_index\`
        (\`release_id\`)`,
      `alter table \`release_items\` add \`served\` longtext null`,
      `alter table \`releases\` add \`outcome\` longtext null`,
      `alter table \`held_contents\` add constraint \`held_contents_blob_id_foreign\` foreign key
        (\`blob_id\`) references \`blobs\` (\`id\`) on delete restrict`,
    ],
    mssql: [
      `create table [held_contents] ([id] bigint identity(1,1) not null constraint
        [held_contents_pkey] primary key, [release_id] nvarchar(36) not null, [protocol]
        nvarchar(16) not null, [name] nvarchar(255) not null, [item] nvarchar(256) not
        null, [content] nvarchar(max) not null, [blob_id] bigint not null)`,
      `create index [held_contents_blob_id_index] on [held_contents] ([blob_id])`,
      `create index [held_contents_release_id_index] on [held_contents] ([release_id])`,
      `create index [held_contents_item] on [held_contents] ([protocol], [name], [item])`,
      `create table [lent_keys] ([release_id] nvarchar(36) not null, [target] nvarchar(64) not
        null, [name] nvarchar(255) not null, [sealed] varbinary(max) not null,
        [expires_at] datetime2(3) not null, constraint [lent_keys_pkey] primary key
        ([release_id], [target], [name]))`,
      `create table [release_lanes] ([place] nvarchar(64) not null, [release_id] nvarchar(36) not
        null, constraint [release_lanes_pkey] primary key ([place]))`,
      `create index [release_lanes_release_id_index] on [release_lanes] ([release_id])`,
      `alter table [release_items] add [served] nvarchar(max) null`,
      `alter table [releases] add [outcome] nvarchar(max) null`,
      `alter table [held_contents] add constraint [held_contents_blob_id_foreign] foreign key
        ([blob_id]) references [blobs] ([id]) on update no action on delete no action`,
    ],
  },
  down: {
    sqlite: removed(),
    postgresql: removed(),
    mysql: removed(),
    mssql: [],
  },
};

function removed(): readonly string[] {
  return [
    ...["held_contents", "lent_keys", "release_lanes"].map(
      (table) => `drop table if exists "${table}"`,
    ),
    `alter table "release_items" drop column "served"`,
    `alter table "releases" drop column "outcome"`,
  ];
}
