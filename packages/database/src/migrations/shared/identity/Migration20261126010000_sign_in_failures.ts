import type { SharedMigration } from "../shared-migration.ts";
import { WORDS } from "../words.ts";
import type { Words } from "../words.ts";

const TABLE = "host_sign_in_failures";
const INDEX = `create index "${TABLE}_empty_ms_index" on "${TABLE}" ("empty_ms")`;

export const Migration20261126010000_sign_in_failures: SharedMigration = {
  name: "Migration20261126010000_sign_in_failures",
  up: {
    sqlite: [createTable(WORDS.sqlite, 'primary key ("address")'), INDEX],
    postgresql: [createTable(WORDS.postgresql, 'primary key ("address")'), INDEX],
    mysql: [createTable(WORDS.mysql, 'primary key ("address")'), INDEX],
    mssql: [
      createTable(WORDS.mssql, `constraint "${TABLE}_pkey" primary key ("address")`),
      INDEX,
    ].map(bracketed),
  },
  down: () => [`drop table if exists "${TABLE}"`],
};

function createTable({ text, tableEnd }: Words, key: string): string {
  const columns = `"address" ${text(64)} not null, "empty_ms" bigint not null`;
  return `create table "${TABLE}" (${columns}, ${key})${tableEnd}`;
}

/** A test compares SQL Server's statements with those that MikroORM generates. */
function bracketed(statement: string): string {
  return statement.replaceAll(/"(\w+)"/g, "[$1]");
}
