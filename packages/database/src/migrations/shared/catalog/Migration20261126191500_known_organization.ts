import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126191500_known_organization: SharedMigration = {
  name: "Migration20261126191500_known_organization",
  up: {
    sqlite: [`alter table \`registry_identity\` add column \`known_organization\` text null`],
    postgresql: [
      `alter table "registry_identity" add "known_organization" varchar(255) collate "C" null`,
    ],
    mysql: [
      `alter table \`registry_identity\` add \`known_organization\` varchar(255)
        collate utf8mb4_bin null`,
    ],
    mssql: [`alter table [registry_identity] add [known_organization] nvarchar(255) null`],
  },
  down: {
    sqlite: [`alter table \`registry_identity\` drop column \`known_organization\``],
    postgresql: [`alter table "registry_identity" drop column "known_organization"`],
    mysql: [`alter table \`registry_identity\` drop column \`known_organization\``],
    mssql: [
      `declare @constraint0 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'registry_identity' and all_columns.name =
        'known_organization') if @constraint0 is not null exec('alter table
        [registry_identity] drop constraint ' + @constraint0)`,
      `alter table [registry_identity] drop column [known_organization]`,
    ],
  },
};
