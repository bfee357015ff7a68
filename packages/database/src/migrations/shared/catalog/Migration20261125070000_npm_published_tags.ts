import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261125070000_npm_published_tags: SharedMigration = {
  name: "Migration20261125070000_npm_published_tags",
  up: ({ longText }) => [`alter table "npm_versions" add "published_tags" ${longText} null`],
  down: () => ['alter table "npm_versions" drop column "published_tags"'],
};
