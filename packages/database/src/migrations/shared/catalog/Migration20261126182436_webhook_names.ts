import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126182436_webhook_names: SharedMigration = {
  name: "Migration20261126182436_webhook_names",
  up: {
    sqlite: [
      `alter table \`webhooks\` add column \`includes\` text null`,
      `alter table \`webhook_deliveries\` add column \`names\` text null`,
    ],
    postgresql: [
      `alter table "webhooks" add "includes" varchar(16) collate "C" null`,
      `alter table "webhook_deliveries" add "names" text null`,
    ],
    mysql: [
      `alter table \`webhooks\` add \`includes\` varchar(16) collate utf8mb4_bin null`,
      `alter table \`webhook_deliveries\` add \`names\` longtext null`,
    ],
    mssql: [
      `alter table [webhooks] add [includes] nvarchar(16) null`,
      `alter table [webhook_deliveries] add [names] nvarchar(max) null`,
    ],
  },
  down: {
    sqlite: [
      `alter table \`webhooks\` drop column \`includes\``,
      `alter table \`webhook_deliveries\` drop column \`names\``,
    ],
    postgresql: [
      `alter table "webhooks" drop column "includes"`,
      `alter table "webhook_deliveries" drop column "names"`,
    ],
    mysql: [
      `alter table \`webhooks\` drop column \`includes\``,
      `alter table \`webhook_deliveries\` drop column \`names\``,
    ],
    mssql: [
      `declare @constraint0 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'webhooks' and all_columns.name = 'includes') if
        @constraint0 is not null exec('alter table [webhooks] drop constraint ' +
        @constraint0)`,
      `alter table [webhooks] drop column [includes]`,
      `declare @constraint1 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'webhook_deliveries' and all_columns.name = 'names') if
        @constraint1 is not null exec('alter table [webhook_deliveries] drop constraint '
        + @constraint1)`,
      `alter table [webhook_deliveries] drop column [names]`,
    ],
  },
};
