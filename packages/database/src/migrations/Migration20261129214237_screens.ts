import type { Migration } from "./migration.ts";

export const Migration20261129214237_screens: Migration = {
  name: "Migration20261129214237_screens",
  statements: {
    sqlite: [
      'alter table "source_states" add column "recent_errors" text null',
      'alter table "publish_targets" add column "last_success_at" datetime null',
    ],
    postgresql: [
      'alter table "source_states" add "recent_errors" text null',
      'alter table "publish_targets" add "last_success_at" timestamptz(3) null',
    ],
    mysql: [
      'alter table "source_states" add "recent_errors" longtext null',
      'alter table "publish_targets" add "last_success_at" datetime(3) null',
    ],
    mssql: [
      'alter table "source_states" add "recent_errors" nvarchar(max) null',
      'alter table "publish_targets" add "last_success_at" datetime2(3) null',
    ],
  },
};
