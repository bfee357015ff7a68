import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126111241_promotion: SharedMigration = {
  name: "Migration20261126111241_promotion",
  up: {
    sqlite: [
      `create table \`completed_manifests\` (\`place\` text not null, \`digest\` text not null,
        \`completed_at\` datetime not null, primary key (\`place\`, \`digest\`))`,
      `create table \`release_items\` (\`id\` text not null primary key, \`release_id\` text not
        null, \`position\` integer not null, \`target\` text not null, \`member\` text not
        null, \`state\` text not null, \`found_before\` text null, \`was_there\` integer
        not null, \`attempts\` integer not null, \`next_at\` datetime null,
        \`pending_since\` datetime null, \`stage_id\` text null, \`note\` text null)`,
      `create index \`release_items_release_id_index\` on \`release_items\` (\`release_id\`)`,
      `create table \`package_groups\` (\`key\` text not null primary key, \`name\` text not
        null, \`definition\` text not null, \`changed_at\` datetime not null)`,
      `create table \`releases\` (\`id\` text not null primary key, \`number\` integer not null,
        \`group_key\` text not null, \`group_name\` text not null, \`kind\` text not null,
        \`state\` text not null, \`request_key\` text not null, \`active_key\` text not
        null, \`lane\` text not null, \`targets\` text not null, \`actor\` text not null,
        \`token_id\` text null, \`created_at\` datetime not null, \`frozen_at\` datetime
        null, \`pivot_at\` datetime null, \`attempts_since\` datetime not null,
        \`ended_at\` datetime null, \`next_at\` datetime null, \`reason\` text null,
        \`statement\` text null, \`statement_digest\` text null)`,
      `create unique index \`releases_request_key_unique\` on \`releases\` (\`request_key\`)`,
      `create unique index \`releases_active_key_unique\` on \`releases\` (\`active_key\`)`,
      `create index \`releases_group_key_number_index\` on \`releases\` (\`group_key\`,
        \`number\`)`,
      `create index \`releases_ended_at_created_at_index\` on \`releases\` (\`ended_at\`,
        \`created_at\`)`,
      `create index \`releases_lane_ended_at_index\` on \`releases\` (\`lane\`, \`ended_at\`)`,
      `create table \`syndications\` (\`key\` text not null primary key, \`name\` text not null,
        \`definition\` text not null, \`enabled\` integer not null, \`changed_at\`
        datetime not null)`,
      `create table \`publish_targets\` (\`key\` text not null primary key, \`name\` text not
        null, \`protocol\` text not null, \`endpoint\` text not null, \`credentials\` blob
        null, \`expires_at\` datetime null, \`paused_at\`
        datetime null, \`pause_reason\` text null, \`options\` text not null,
        \`changed_at\` datetime not null)`,
    ],
    postgresql: [
      `create table "completed_manifests" ("place" varchar(64) collate "C" not null, "digest"
        varchar(135) collate "C" not null, "completed_at" timestamptz(3) not null, primary
        key ("place", "digest"))`,
      `create table "release_items" ("id" varchar(64) collate "C" not null, "release_id"
        varchar(36) collate "C" not null, "position" int not null, "target" varchar(64)
        collate "C" not null, "member" text not null, "state" varchar(24) collate "C" not
        null, "found_before" text null, "was_there" boolean not null, "attempts" int not
        null, "next_at" timestamptz(3) null, "pending_since" timestamptz(3) null,
        "stage_id" varchar(255) collate "C" null, "note" text null, primary key ("id"))`,
      `create index "release_items_release_id_index" on "release_items" ("release_id")`,
      `create table "package_groups" ("key" varchar(64) collate "C" not null, "name" varchar(64)
        collate "C" not null, "definition" text not null, "changed_at" timestamptz(3) not
        null, primary key ("key"))`,
      `create table "releases" ("id" varchar(36) collate "C" not null, "number" int not null,
        "group_key" varchar(64) collate "C" not null, "group_name" varchar(64) collate "C"
        not null, "kind" varchar(16) collate "C" not null, "state" varchar(16) collate "C"
        not null, "request_key" varchar(128) collate "C" not null, "active_key"
        varchar(128) collate "C" not null, "lane" varchar(64) collate "C" not null,
        "targets" text not null, "actor" text not null, "token_id" varchar(64) collate "C"
        null, "created_at" timestamptz(3) not null, "frozen_at" timestamptz(3) null,
        "pivot_at" timestamptz(3) null, "attempts_since" timestamptz(3) not null,
        "ended_at" timestamptz(3) null, "next_at" timestamptz(3) null, "reason" text null,
        "statement" text null, "statement_digest" varchar(64) collate "C" null, primary
        key ("id"))`,
      `alter table "releases" add constraint "releases_request_key_unique" unique ("request_key")`,
      `alter table "releases" add constraint "releases_active_key_unique" unique ("active_key")`,
      `create index "releases_group_key_number_index" on "releases" ("group_key", "number")`,
      `create index "releases_ended_at_created_at_index" on "releases" ("ended_at", "created_at")`,
      `create index "releases_lane_ended_at_index" on "releases" ("lane", "ended_at")`,
      `create table "syndications" ("key" varchar(64) collate "C" not null, "name" varchar(64)
        collate "C" not null, "definition" text not null, "enabled" boolean not null,
        "changed_at" timestamptz(3) not null, primary key ("key"))`,
      `create table "publish_targets" ("key" varchar(64) collate "C" not null, "name" varchar(64)
        collate "C" not null, "protocol" varchar(16) collate "C" not null, "endpoint" text
        not null, "credentials" bytea null, "expires_at" timestamptz(3) null,
        "paused_at" timestamptz(3) null, "pause_reason" text
        null, "options" text not null, "changed_at" timestamptz(3) not null, primary key
        ("key"))`,
    ],
    mysql: [
      `create table \`completed_manifests\` (\`place\` varchar(64) collate utf8mb4_bin not null,
        \`digest\` varchar(135) collate utf8mb4_bin not null, \`completed_at\` datetime(3)
        not null, primary key (\`place\`, \`digest\`)) default character set utf8mb4
        collate utf8mb4_bin engine = InnoDB`,
      `create table \`release_items\` (\`id\` varchar(64) collate utf8mb4_bin not null,
        \`release_id\` varchar(36) collate utf8mb4_bin not null, \`position\` int not
        null, \`target\` varchar(64) collate utf8mb4_bin not null, \`member\` longtext not
        null, \`state\` varchar(24) collate utf8mb4_bin not null, \`found_before\`
        longtext null, \`was_there\` tinyint(1) not null, \`attempts\` int not null,
        \`next_at\` datetime(3) null, \`pending_since\` datetime(3) null, \`stage_id\`
        varchar(255) collate utf8mb4_bin null, \`note\` longtext null, primary key
        (\`id\`)) default character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`release_items\` add index \`release_items_release_id_index\`
        (\`release_id\`)`,
      `create table \`package_groups\` (\`key\` varchar(64) collate utf8mb4_bin not null,
        \`name\` varchar(64) collate utf8mb4_bin not null, \`definition\` longtext not
        null, \`changed_at\` datetime(3) not null, primary key (\`key\`)) default
        character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `create table \`releases\` (\`id\` varchar(36) collate utf8mb4_bin not null, \`number\` int
        not null, \`group_key\` varchar(64) collate utf8mb4_bin not null, \`group_name\`
        varchar(64) collate utf8mb4_bin not null, \`kind\` varchar(16) collate utf8mb4_bin
        not null, \`state\` varchar(16) collate utf8mb4_bin not null, \`request_key\`
        varchar(128) collate utf8mb4_bin not null, \`active_key\` varchar(128) collate
        utf8mb4_bin not null, \`lane\` varchar(64) collate utf8mb4_bin not null,
        \`targets\` longtext not null, \`actor\` longtext not null, \`token_id\`
        varchar(64) collate utf8mb4_bin null, \`created_at\` datetime(3) not null,
        \`frozen_at\` datetime(3) null, \`pivot_at\` datetime(3) null, \`attempts_since\`
        datetime(3) not null, \`ended_at\` datetime(3) null, \`next_at\` datetime(3) null,
        \`reason\` longtext null, \`statement\` longtext null, \`statement_digest\`
        varchar(64) collate utf8mb4_bin null, primary key (\`id\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`releases\` add unique \`releases_request_key_unique\` (\`request_key\`)`,
      `alter table \`releases\` add unique \`releases_active_key_unique\` (\`active_key\`)`,
      `alter table \`releases\` add index \`releases_group_key_number_index\` (\`group_key\`,
        \`number\`)`,
      `alter table \`releases\` add index \`releases_ended_at_created_at_index\` (\`ended_at\`,
        \`created_at\`)`,
      `alter table \`releases\` add index \`releases_lane_ended_at_index\` (\`lane\`,
        \`ended_at\`)`,
      `create table \`syndications\` (\`key\` varchar(64) collate utf8mb4_bin not null, \`name\`
        varchar(64) collate utf8mb4_bin not null, \`definition\` longtext not null,
        \`enabled\` tinyint(1) not null, \`changed_at\` datetime(3) not null, primary key
        (\`key\`)) default character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `create table \`publish_targets\` (\`key\` varchar(64) collate utf8mb4_bin not null,
        \`name\` varchar(64) collate utf8mb4_bin not null, \`protocol\` varchar(16)
        collate utf8mb4_bin not null, \`endpoint\` longtext not null, \`credentials\`
        longblob null, \`expires_at\` datetime(3) null,
        \`paused_at\` datetime(3) null, \`pause_reason\` longtext null, \`options\`
        longtext not null, \`changed_at\` datetime(3) not null, primary key (\`key\`))
        default character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
    ],
    mssql: [
      `create table [completed_manifests] ([place] nvarchar(64) not null, [digest] nvarchar(135)
        not null, [completed_at] datetime2(3) not null, constraint
        [completed_manifests_pkey] primary key ([place], [digest]))`,
      `create table [release_items] ([id] nvarchar(64) not null, [release_id] nvarchar(36) not
        null, [position] int not null, [target] nvarchar(64) not null, [member]
        nvarchar(max) not null, [state] nvarchar(24) not null, [found_before]
        nvarchar(max) null, [was_there] bit not null, [attempts] int not null, [next_at]
        datetime2(3) null, [pending_since] datetime2(3) null, [stage_id] nvarchar(255)
        null, [note] nvarchar(max) null, constraint [release_items_pkey] primary key
        ([id]))`,
      `create index [release_items_release_id_index] on [release_items] ([release_id])`,
      `create table [package_groups] ([key] nvarchar(64) not null, [name] nvarchar(64) not null,
        [definition] nvarchar(max) not null, [changed_at] datetime2(3) not null,
        constraint [package_groups_pkey] primary key ([key]))`,
      `create table [releases] ([id] nvarchar(36) not null, [number] int not null, [group_key]
        nvarchar(64) not null, [group_name] nvarchar(64) not null, [kind] nvarchar(16) not
        null, [state] nvarchar(16) not null, [request_key] nvarchar(128) not null,
        [active_key] nvarchar(128) not null, [lane] nvarchar(64) not null, [targets]
        nvarchar(max) not null, [actor] nvarchar(max) not null, [token_id] nvarchar(64)
        null, [created_at] datetime2(3) not null, [frozen_at] datetime2(3) null,
        [pivot_at] datetime2(3) null, [attempts_since] datetime2(3) not null, [ended_at]
        datetime2(3) null, [next_at] datetime2(3) null, [reason] nvarchar(max) null,
        [statement] nvarchar(max) null, [statement_digest] nvarchar(64) null, constraint
        [releases_pkey] primary key ([id]))`,
      `create unique index [releases_request_key_unique] on [releases] ([request_key])`,
      `create unique index [releases_active_key_unique] on [releases] ([active_key])`,
      `create index [releases_group_key_number_index] on [releases] ([group_key], [number])`,
      `create index [releases_ended_at_created_at_index] on [releases] ([ended_at], [created_at])`,
      `create index [releases_lane_ended_at_index] on [releases] ([lane], [ended_at])`,
      `create table [syndications] ([key] nvarchar(64) not null, [name] nvarchar(64) not null,
        [definition] nvarchar(max) not null, [enabled] bit not null, [changed_at]
        datetime2(3) not null, constraint [syndications_pkey] primary key ([key]))`,
      `create table [publish_targets] ([key] nvarchar(64) not null, [name] nvarchar(64) not null,
        [protocol] nvarchar(16) not null, [endpoint] nvarchar(max) not null, [credentials]
        varbinary(max) null, [expires_at] datetime2(3) null,
        [paused_at] datetime2(3) null, [pause_reason] nvarchar(max) null, [options]
        nvarchar(max) not null, [changed_at] datetime2(3) not null, constraint
        [publish_targets_pkey] primary key ([key]))`,
    ],
  },
  down: () =>
    [
      "syndications",
      "publish_targets",
      "package_groups",
      "release_items",
      "releases",
      "completed_manifests",
    ].map((table) => `drop table if exists "${table}"`),
};
