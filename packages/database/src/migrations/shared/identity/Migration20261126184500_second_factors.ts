import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126184500_second_factors: SharedMigration = {
  name: "Migration20261126184500_second_factors",
  up: {
    sqlite: [`alter table \`host_users\` add column \`second_factor\` text null`],
    postgresql: [`alter table "host_users" add "second_factor" varchar(16) collate "C" null`],
    mysql: [
      `alter table \`host_users\` add \`second_factor\` varchar(16) collate utf8mb4_bin null`,
    ],
    mssql: [`alter table [host_users] add [second_factor] nvarchar(16) null`],
  },
  down: {
    sqlite: [`alter table \`host_users\` drop column \`second_factor\``],
    postgresql: [`alter table "host_users" drop column "second_factor"`],
    mysql: [`alter table \`host_users\` drop column \`second_factor\``],
    mssql: [
      `declare @constraint0 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'host_users' and all_columns.name = 'second_factor') if
        @constraint0 is not null exec('alter table [host_users] drop constraint ' +
        @constraint0)`,
      `alter table [host_users] drop column [second_factor]`,
    ],
  },
};
