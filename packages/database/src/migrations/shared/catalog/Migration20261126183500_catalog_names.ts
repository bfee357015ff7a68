import type { SharedMigration } from "../shared-migration.ts";

const INDEX = "nuget_catalog_items_display_id_index";
const CREATE = `create index "${INDEX}" on "nuget_catalog_items" ("display_id")`;

/** Finds the items of a package in NuGet's catalog. */
export const Migration20261126183500_catalog_names: SharedMigration = {
  name: "Migration20261126183500_catalog_names",
  up: {
    sqlite: [CREATE],
    postgresql: [CREATE],
    mysql: [CREATE],
    mssql: [`create index [${INDEX}] on [nuget_catalog_items] ([display_id])`],
  },
  down: ({ dropIndex }) => [dropIndex("nuget_catalog_items", INDEX)],
};
