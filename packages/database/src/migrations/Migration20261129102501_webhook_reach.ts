import { onEveryDatabase } from "./every-database.ts";
import type { Migration } from "./migration.ts";

export const Migration20261129102501_webhook_reach: Migration = {
  name: "Migration20261129102501_webhook_reach",
  statements: onEveryDatabase(['alter table "webhooks" add column "reaches" text(16) null']),
};
