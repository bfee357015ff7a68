import type { Migration } from "./migration.ts";

export const Migration20261129102501_webhook_reach: Migration = {
  name: "Migration20261129102501_webhook_reach",
  statements: {
    sqlite: ['alter table "webhooks" add column "reaches" text null'],
    postgresql: ['alter table "webhooks" add "reaches" varchar(16) null'],
    mysql: ['alter table "webhooks" add "reaches" varchar(16) null'],
    mssql: ['alter table "webhooks" add "reaches" nvarchar(16) null'],
  },
};
