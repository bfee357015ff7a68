import type { SharedMigration } from "../shared-migration.ts";
import { WORDS } from "../words.ts";
import type { Words } from "../words.ts";

const TABLE = "registry_identity";

/** Without the row: a copy of another database brings its own. */
export const Migration20261126074500_registry_identity: SharedMigration = {
  name: "Migration20261126074500_registry_identity",
  up: {
    sqlite: [createTable(WORDS.sqlite)],
    postgresql: [createTable(WORDS.postgresql)],
    mysql: [createTable(WORDS.mysql)],
    // A test compares SQL Server's statement with the one that MikroORM generates.
    mssql: [
      `create table [${TABLE}] ([id] int not null, [registry_id] nvarchar(36) not null,
        constraint [${TABLE}_pkey] primary key ([id]))`,
    ],
  },
  down: () => [`drop table if exists "${TABLE}"`],
};

function createTable({ smallKey, text, tableEnd }: Words): string {
  const columns = `"id" ${smallKey}, "registry_id" ${text(36)} not null`;
  return `create table "${TABLE}" (${columns})${tableEnd}`;
}
