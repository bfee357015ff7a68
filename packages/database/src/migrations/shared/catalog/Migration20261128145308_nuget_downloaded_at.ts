import type { SharedMigration } from "../shared-migration.ts";

/** When a version was last downloaded is unknown before: downloaded versions begin with now. */
export const Migration20261128145308_nuget_downloaded_at: SharedMigration = {
  name: "Migration20261128145308_nuget_downloaded_at",
  up: {
    sqlite: [
      `alter table \`nuget_versions\` add column \`downloaded_at\` datetime null`,
      `update \`nuget_versions\`
        set \`downloaded_at\` = cast(strftime('%s', 'now') as integer) * 1000
        where \`downloads\` > 0`,
    ],
    postgresql: [
      `alter table "nuget_versions" add "downloaded_at" timestamptz(3) null`,
      `update "nuget_versions" set "downloaded_at" = now() where "downloads" > 0`,
    ],
    mysql: [
      `alter table \`nuget_versions\` add \`downloaded_at\` datetime(3) null`,
      `update \`nuget_versions\` set \`downloaded_at\` = utc_timestamp(3) where \`downloads\` > 0`,
    ],
    mssql: [
      `alter table [nuget_versions] add [downloaded_at] datetime2(3) null`,
      `update [nuget_versions] set [downloaded_at] = sysutcdatetime() where [downloads] > 0`,
    ],
  },
  down: {
    sqlite: [`alter table \`nuget_versions\` drop column \`downloaded_at\``],
    postgresql: [`alter table "nuget_versions" drop column "downloaded_at"`],
    mysql: [`alter table \`nuget_versions\` drop column \`downloaded_at\``],
    mssql: [
      `declare @constraint0 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'nuget_versions' and all_columns.name = 'downloaded_at')
        if @constraint0 is not null exec('alter table [nuget_versions] drop constraint ' +
        @constraint0)`,
      `alter table [nuget_versions] drop column [downloaded_at]`,
    ],
  },
};
