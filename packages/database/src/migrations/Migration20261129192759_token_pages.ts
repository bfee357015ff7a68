import { onEveryDatabase } from "./every-database.ts";
import type { Migration } from "./migration.ts";

export const Migration20261129192759_token_pages: Migration = {
  name: "Migration20261129192759_token_pages",
  statements: onEveryDatabase([
    'create index "host_tokens_created_at_id_index" on "host_tokens" ("created_at", "id")',
  ]),
};
