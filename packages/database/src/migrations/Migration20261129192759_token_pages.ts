import type { Migration } from "./migration.ts";

export const Migration20261129192759_token_pages: Migration = {
  name: "Migration20261129192759_token_pages",
  statements: {
    sqlite: [
      'create index "host_tokens_created_at_id_index" on "host_tokens" ("created_at", "id")',
    ],
    postgresql: [
      'create index "host_tokens_created_at_id_index" on "host_tokens" ("created_at", "id")',
    ],
    mysql: [
      'alter table "host_tokens" add index "host_tokens_created_at_id_index" ("created_at", "id")',
    ],
    mssql: ['create index "host_tokens_created_at_id_index" on "host_tokens" ("created_at", "id")'],
  },
};
