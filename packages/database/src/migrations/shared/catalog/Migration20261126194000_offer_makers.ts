import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126194000_offer_makers: SharedMigration = {
  name: "Migration20261126194000_offer_makers",
  up: {
    sqlite: [`alter table \`owner_transfers\` add column \`maker_id\` text null`],
    postgresql: [`alter table "owner_transfers" add "maker_id" varchar(36) collate "C" null`],
    mysql: [
      `alter table \`owner_transfers\` add \`maker_id\` varchar(36) collate utf8mb4_bin null`,
    ],
    mssql: [`alter table [owner_transfers] add [maker_id] nvarchar(36) null`],
  },
  down: {
    sqlite: [`alter table \`owner_transfers\` drop column \`maker_id\``],
    postgresql: [`alter table "owner_transfers" drop column "maker_id"`],
    mysql: [`alter table \`owner_transfers\` drop column \`maker_id\``],
    mssql: [
      `declare @constraint0 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'owner_transfers' and all_columns.name = 'maker_id') if
        @constraint0 is not null exec('alter table [owner_transfers] drop constraint ' +
        @constraint0)`,
      `alter table [owner_transfers] drop column [maker_id]`,
    ],
  },
};
