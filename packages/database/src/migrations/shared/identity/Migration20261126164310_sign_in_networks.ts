import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126164310_sign_in_networks: SharedMigration = {
  name: "Migration20261126164310_sign_in_networks",
  up: {
    sqlite: [
      `alter table \`host_users\` add column \`blocked_from\` text null`,
      `alter table \`host_sign_ins\` add column \`network\` text null`,
    ],
    postgresql: [
      `alter table "host_users" add "blocked_from" varchar(16) collate "C" null`,
      `alter table "host_sign_ins" add "network" varchar(64) collate "C" null`,
    ],
    mysql: [
      `alter table \`host_users\` add \`blocked_from\` varchar(16) collate utf8mb4_bin null`,
      `alter table \`host_sign_ins\` add \`network\` varchar(64) collate utf8mb4_bin null`,
    ],
    mssql: [
      `alter table [host_users] add [blocked_from] nvarchar(16) null`,
      `alter table [host_sign_ins] add [network] nvarchar(64) null`,
    ],
  },
  down: {
    sqlite: [
      `alter table \`host_users\` drop column \`blocked_from\``,
      `alter table \`host_sign_ins\` drop column \`network\``,
    ],
    postgresql: [
      `alter table "host_users" drop column "blocked_from"`,
      `alter table "host_sign_ins" drop column "network"`,
    ],
    mysql: [
      `alter table \`host_users\` drop column \`blocked_from\``,
      `alter table \`host_sign_ins\` drop column \`network\``,
    ],
    mssql: [
      `declare @constraint0 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'host_users' and all_columns.name = 'blocked_from') if
        @constraint0 is not null exec('alter table [host_users] drop constraint ' +
        @constraint0)`,
      `alter table [host_users] drop column [blocked_from]`,
      `declare @constraint1 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'host_sign_ins' and all_columns.name = 'network') if
        @constraint1 is not null exec('alter table [host_sign_ins] drop constraint ' +
        @constraint1)`,
      `alter table [host_sign_ins] drop column [network]`,
    ],
  },
};
