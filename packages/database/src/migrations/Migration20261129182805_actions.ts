import { onEveryDatabase } from "./every-database.ts";
import type { Migration } from "./migration.ts";

export const Migration20261129182805_actions: Migration = {
  name: "Migration20261129182805_actions",
  statements: onEveryDatabase([
    `create table "action_jobs" ("id" text(64) not null, "action" text(64) not null, "actor"
      text(255) not null, "input" text not null, "state" text(16) not null, "result" text
      null, "progress" text null, "held_until" time not null, "created_at" time not null,
      "ended_at" time null, primary key ("id"))`,
    'create index "action_jobs_created_at_index" on "action_jobs" ("created_at")',
    `create table "idempotent_answers" ("id" text(64) not null, "input_hash" text(64) not null,
      "status" int null, "body" text null, "created_at" time not null, primary key ("id"))`,
    'create index "idempotent_answers_created_at_index" on "idempotent_answers" ("created_at")',
  ]),
};
