import type { Migration } from "./migration.ts";

export const Migration20261129182805_actions: Migration = {
  name: "Migration20261129182805_actions",
  statements: {
    sqlite: [
      `create table "action_jobs" ("id" text not null primary key, "action" text not null,
        "actor" text not null, "input" text not null, "state" text not null, "result" text
        null, "progress" text null, "held_until" datetime not null, "created_at" datetime
        not null, "ended_at" datetime null)`,
      'create index "action_jobs_created_at_index" on "action_jobs" ("created_at")',
      `create table "idempotent_answers" ("id" text not null primary key, "input_hash" text not
        null, "status" integer null, "body" text null, "created_at" datetime not null)`,
      'create index "idempotent_answers_created_at_index" on "idempotent_answers" ("created_at")',
    ],
    postgresql: [
      `create table "action_jobs" ("id" varchar(64) not null, "action" varchar(64) not null,
        "actor" varchar(255) not null, "input" text not null, "state" varchar(16) not
        null, "result" text null, "progress" text null, "held_until" timestamptz(3) not
        null, "created_at" timestamptz(3) not null, "ended_at" timestamptz(3) null, primary
        key ("id"))`,
      'create index "action_jobs_created_at_index" on "action_jobs" ("created_at")',
      `create table "idempotent_answers" ("id" varchar(64) not null, "input_hash" varchar(64) not
        null, "status" int null, "body" text null, "created_at" timestamptz(3) not null,
        primary key ("id"))`,
      'create index "idempotent_answers_created_at_index" on "idempotent_answers" ("created_at")',
    ],
    mysql: [
      `create table "action_jobs" ("id" varchar(64) not null, "action" varchar(64) not null,
        "actor" varchar(255) not null, "input" longtext not null, "state" varchar(16) not
        null, "result" longtext null, "progress" longtext null, "held_until" datetime(3) not
        null, "created_at" datetime(3) not null, "ended_at" datetime(3) null, primary key
        ("id"))`,
      'alter table "action_jobs" add index "action_jobs_created_at_index" ("created_at")',
      `create table "idempotent_answers" ("id" varchar(64) not null, "input_hash" varchar(64) not
        null, "status" int null, "body" longtext null, "created_at" datetime(3) not null,
        primary key ("id"))`,
      `alter table "idempotent_answers" add index "idempotent_answers_created_at_index"
        ("created_at")`,
    ],
    mssql: [
      `create table "action_jobs" ("id" nvarchar(64) not null, "action" nvarchar(64) not null,
        "actor" nvarchar(255) not null, "input" nvarchar(max) not null, "state"
        nvarchar(16) not null, "result" nvarchar(max) null, "progress" nvarchar(max) null,
        "held_until" datetime2(3) not null, "created_at" datetime2(3) not null, "ended_at"
        datetime2(3) null, constraint "action_jobs_pkey" primary key ("id"))`,
      'create index "action_jobs_created_at_index" on "action_jobs" ("created_at")',
      `create table "idempotent_answers" ("id" nvarchar(64) not null, "input_hash" nvarchar(64)
        not null, "status" int null, "body" nvarchar(max) null, "created_at" datetime2(3)
        not null, constraint "idempotent_answers_pkey" primary key ("id"))`,
      'create index "idempotent_answers_created_at_index" on "idempotent_answers" ("created_at")',
    ],
  },
};
