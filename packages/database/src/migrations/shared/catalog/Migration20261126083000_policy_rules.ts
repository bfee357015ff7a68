import type { SharedMigration } from "../shared-migration.ts";
import { WORDS } from "../words.ts";
import type { Words } from "../words.ts";

export const Migration20261126083000_policy_rules: SharedMigration = {
  name: "Migration20261126083000_policy_rules",
  up: {
    sqlite: createTables(WORDS.sqlite),
    postgresql: createTables(WORDS.postgresql),
    mysql: createTables(WORDS.mysql),
    // A test compares SQL Server's statements with those that MikroORM generates.
    mssql: [
      `create table [policy_rules] ([id] nvarchar(36) not null, [effect] nvarchar(16) not null,
        [protocol] nvarchar(16) not null, [pattern] nvarchar(256) not null, [versions]
        nvarchar(max) not null, [conditions] nvarchar(max) not null, [reason] nvarchar(max)
        not null, [created_by] nvarchar(max) not null, [created_at] datetime2(3) not null,
        [expires_at] datetime2(3) null, constraint [policy_rules_pkey] primary key ([id]))`,
      `create table [first_seen_versions] ([version_key] nvarchar(64) not null, [seen_at]
        datetime2(3) not null, constraint [first_seen_versions_pkey] primary key ([version_key]))`,
    ],
  },
  down: () =>
    ["first_seen_versions", "policy_rules"].map((table) => `drop table if exists "${table}"`),
};

function createTables({ text, longText, time, tableEnd }: Words): readonly string[] {
  return [
    `create table "policy_rules" ("id" ${text(36)} not null, "effect" ${text(16)} not null,
      "protocol" ${text(16)} not null, "pattern" ${text(256)} not null, "versions" ${longText}
      not null, "conditions" ${longText} not null, "reason" ${longText} not null, "created_by"
      ${longText} not null, "created_at" ${time} not null, "expires_at" ${time} null, primary
      key ("id"))${tableEnd}`,
    `create table "first_seen_versions" ("version_key" ${text(64)} not null, "seen_at" ${time}
      not null, primary key ("version_key"))${tableEnd}`,
  ];
}
