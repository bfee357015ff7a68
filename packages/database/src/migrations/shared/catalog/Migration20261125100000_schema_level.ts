import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261125100000_schema_level: SharedMigration = {
  name: "Migration20261125100000_schema_level",
  up: ({ smallKey, text, tableEnd }) => [
    `create table "schema_level" ("id" ${smallKey},
      "required" ${text(128)} not null)${tableEnd}`,
    `insert into "schema_level" values (1, 'Migration20261125100000_schema_level')`,
  ],
  down: () => ['drop table if exists "schema_level"'],
};
