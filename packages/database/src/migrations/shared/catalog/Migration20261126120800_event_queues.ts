import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126120800_event_queues: SharedMigration = {
  name: "Migration20261126120800_event_queues",
  up: {
    sqlite: [
      `create table \`mails\` (\`id\` integer not null primary key autoincrement, \`mail_key\`
        text not null, \`template\` text not null, \`recipient\` text not null,
        \`subject\` text not null, \`body\` text not null, \`state\` text not null,
        \`attempts\` bigint not null, \`next_at\` datetime null, \`error\` text null,
        \`created_at\` datetime not null, \`done_at\` datetime null)`,
      `create index \`mails_state_next_at_index\` on \`mails\` (\`state\`, \`next_at\`)`,
      `create unique index \`mails_mail_key_unique\` on \`mails\` (\`mail_key\`)`,
      `create table \`parked_events\` (\`id\` integer not null primary key autoincrement,
        \`consumer\` text not null, \`event_id\` bigint not null, \`type\` text not null,
        \`subject\` text not null, \`actor\` text not null, \`token_id\` text null,
        \`address\` text null, \`request_id\` text null, \`detail\` text null, \`at\`
        datetime not null, \`attempts\` bigint not null, \`next_at\` datetime null,
        \`error\` text not null, \`parked_at\` datetime not null)`,
      `create unique index \`parked_events_consumer_event_id_unique\` on \`parked_events\`
        (\`consumer\`, \`event_id\`)`,
      `create table \`webhooks\` (\`id\` text not null primary key, \`url\` text not null,
        \`events\` text not null, \`format\` text not null, \`origin\` text not null,
        \`enabled\` integer not null, \`reason\` text null, \`secret\` blob null,
        \`former_secret\` blob null, \`former_ends_at\` datetime null, \`created_at\`
        datetime not null)`,
      `create table \`webhook_deliveries\` (\`id\` integer not null primary key autoincrement,
        \`webhook_id\` text not null, \`event_id\` bigint not null, \`type\` text not
        null, \`subject\` text not null, \`order_key\` text not null, \`body\` text not
        null, \`state\` text not null, \`attempts\` bigint not null, \`next_at\` datetime
        null, \`log\` text not null, \`created_at\` datetime not null, \`done_at\`
        datetime null)`,
      `create index \`webhook_deliveries_webhook_id_state_event_id_index\` on
        \`webhook_deliveries\` (\`webhook_id\`, \`state\`, \`event_id\`)`,
      `create index \`webhook_deliveries_state_next_at_index\` on \`webhook_deliveries\`
        (\`state\`, \`next_at\`)`,
      `create index \`webhook_deliveries_webhook_id_order_key_event_id_index\` on
        \`webhook_deliveries\` (\`webhook_id\`, \`order_key\`, \`event_id\`)`,
      `create index \`webhook_deliveries_webhook_id_state_next_at_index\` on
        \`webhook_deliveries\` (\`webhook_id\`, \`state\`, \`next_at\`)`,
      `create unique index \`webhook_deliveries_webhook_id_event_id_unique\` on
        \`webhook_deliveries\` (\`webhook_id\`, \`event_id\`)`,
    ],
    postgresql: [
      `create table "mails" ("id" bigserial primary key, "mail_key" varchar(64) collate "C" not
        null, "template" varchar(32) collate "C" not null, "recipient" text not null,
        "subject" text not null, "body" text not null, "state" varchar(16) collate "C" not
        null, "attempts" bigint not null, "next_at" timestamptz(3) null, "error" text
        null, "created_at" timestamptz(3) not null, "done_at" timestamptz(3) null)`,
      `create index "mails_state_next_at_index" on "mails" ("state", "next_at")`,
      `alter table "mails" add constraint "mails_mail_key_unique" unique ("mail_key")`,
      `create table "parked_events" ("id" bigserial primary key, "consumer" varchar(64) collate
        "C" not null, "event_id" bigint not null, "type" varchar(64) collate "C" not null,
        "subject" varchar(512) collate "C" not null, "actor" varchar(255) collate "C" not
        null, "token_id" varchar(64) collate "C" null, "address" varchar(64) collate "C"
        null, "request_id" varchar(128) collate "C" null, "detail" text null, "at"
        timestamptz(3) not null, "attempts" bigint not null, "next_at" timestamptz(3)
        null, "error" text not null, "parked_at" timestamptz(3) not null)`,
      `alter table "parked_events" add constraint "parked_events_consumer_event_id_unique" unique
        ("consumer", "event_id")`,
      `create table "webhooks" ("id" varchar(36) collate "C" not null, "url" text not null,
        "events" text not null, "format" varchar(16) collate "C" not null, "origin"
        varchar(16) collate "C" not null, "enabled" boolean not null, "reason" text null,
        "secret" bytea null, "former_secret" bytea null, "former_ends_at" timestamptz(3)
        null, "created_at" timestamptz(3) not null, primary key ("id"))`,
      `create table "webhook_deliveries" ("id" bigserial primary key, "webhook_id" varchar(36)
        collate "C" not null, "event_id" bigint not null, "type" varchar(64) collate "C"
        not null, "subject" varchar(512) collate "C" not null, "order_key" varchar(64)
        collate "C" not null, "body" text not null, "state" varchar(16) collate "C" not
        null, "attempts" bigint not null, "next_at" timestamptz(3) null, "log" text not
        null, "created_at" timestamptz(3) not null, "done_at" timestamptz(3) null)`,
      `create index "webhook_deliveries_webhook_id_state_event_id_index" on "webhook_deliveries"
        ("webhook_id", "state", "event_id")`,
      `create index "webhook_deliveries_state_next_at_index" on "webhook_deliveries" ("state",
        "next_at")`,
      `create index "webhook_deliveries_webhook_id_order_key_event_id_index" on
        "webhook_deliveries" ("webhook_id", "order_key", "event_id")`,
      `create index "webhook_deliveries_webhook_id_state_next_at_index" on "webhook_deliveries"
        ("webhook_id", "state", "next_at")`,
      `alter table "webhook_deliveries" add constraint
        "webhook_deliveries_webhook_id_event_id_unique" unique ("webhook_id", "event_id")`,
    ],
    mysql: [
      `create table \`mails\` (\`id\` bigint unsigned not null auto_increment primary key,
        \`mail_key\` varchar(64) collate utf8mb4_bin not null, \`template\` varchar(32)
        collate utf8mb4_bin not null, \`recipient\` longtext not null, \`subject\`
        longtext not null, \`body\` longtext not null, \`state\` varchar(16) collate
        utf8mb4_bin not null, \`attempts\` bigint not null, \`next_at\` datetime(3) null,
        \`error\` longtext null, \`created_at\` datetime(3) not null, \`done_at\`
        datetime(3) null) default character set utf8mb4 collate utf8mb4_bin engine =
        InnoDB`,
      `alter table \`mails\` add index \`mails_state_next_at_index\` (\`state\`, \`next_at\`)`,
      `alter table \`mails\` add unique \`mails_mail_key_unique\` (\`mail_key\`)`,
      `create table \`parked_events\` (\`id\` bigint unsigned not null auto_increment primary
        key, \`consumer\` varchar(64) collate utf8mb4_bin not null, \`event_id\` bigint
        not null, \`type\` varchar(64) collate utf8mb4_bin not null, \`subject\`
        varchar(512) collate utf8mb4_bin not null, \`actor\` varchar(255) collate
        utf8mb4_bin not null, \`token_id\` varchar(64) collate utf8mb4_bin null,
        \`address\` varchar(64) collate utf8mb4_bin null, \`request_id\` varchar(128)
        collate utf8mb4_bin null, \`detail\` longtext null, \`at\` datetime(3) not null,
        \`attempts\` bigint not null, \`next_at\` datetime(3) null, \`error\` longtext not
        null, \`parked_at\` datetime(3) not null) default character set utf8mb4 collate
        utf8mb4_bin engine = InnoDB`,
      `alter table \`parked_events\` add unique \`parked_events_consumer_event_id_unique\`
        (\`consumer\`, \`event_id\`)`,
      `create table \`webhooks\` (\`id\` varchar(36) collate utf8mb4_bin not null, \`url\`
        longtext not null, \`events\` longtext not null, \`format\` varchar(16) collate
        utf8mb4_bin not null, \`origin\` varchar(16) collate utf8mb4_bin not null,
        \`enabled\` tinyint(1) not null, \`reason\` longtext null, \`secret\` longblob
        null, \`former_secret\` longblob null, \`former_ends_at\` datetime(3) null,
        \`created_at\` datetime(3) not null, primary key (\`id\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `create table \`webhook_deliveries\` (\`id\` bigint unsigned not null auto_increment
        primary key, \`webhook_id\` varchar(36) collate utf8mb4_bin not null, \`event_id\`
        bigint not null, \`type\` varchar(64) collate utf8mb4_bin not null, \`subject\`
        varchar(512) collate utf8mb4_bin not null, \`order_key\` varchar(64) collate
        utf8mb4_bin not null, \`body\` longtext not null, \`state\` varchar(16) collate
        utf8mb4_bin not null, \`attempts\` bigint not null, \`next_at\` datetime(3) null,
        \`log\` longtext not null, \`created_at\` datetime(3) not null, \`done_at\`
        datetime(3) null) default character set utf8mb4 collate utf8mb4_bin engine =
        InnoDB`,
      `alter table \`webhook_deliveries\` add index
        \`webhook_deliveries_webhook_id_state_event_id_index\` (\`webhook_id\`, \`state\`,
        \`event_id\`)`,
      `alter table \`webhook_deliveries\` add index \`webhook_deliveries_state_next_at_index\`
        (\`state\`, \`next_at\`)`,
      `alter table \`webhook_deliveries\` add index
        \`webhook_deliveries_webhook_id_order_key_event_id_index\` (\`webhook_id\`,
        \`order_key\`, \`event_id\`)`,
      `alter table \`webhook_deliveries\` add index
        \`webhook_deliveries_webhook_id_state_next_at_index\` (\`webhook_id\`, \`state\`,
        \`next_at\`)`,
      `alter table \`webhook_deliveries\` add unique
        \`webhook_deliveries_webhook_id_event_id_unique\` (\`webhook_id\`, \`event_id\`)`,
    ],
    mssql: [
      `create table [mails] ([id] bigint identity(1,1) not null constraint [mails_pkey] primary
        key, [mail_key] nvarchar(64) not null, [template] nvarchar(32) not null,
        [recipient] nvarchar(max) not null, [subject] nvarchar(max) not null, [body]
        nvarchar(max) not null, [state] nvarchar(16) not null, [attempts] bigint not null,
        [next_at] datetime2(3) null, [error] nvarchar(max) null, [created_at] datetime2(3)
        not null, [done_at] datetime2(3) null)`,
      `create index [mails_state_next_at_index] on [mails] ([state], [next_at])`,
      `create unique index [mails_mail_key_unique] on [mails] ([mail_key])`,
      `create table [parked_events] ([id] bigint identity(1,1) not null constraint
        [parked_events_pkey] primary key, [consumer] nvarchar(64) not null, [event_id]
        bigint not null, [type] nvarchar(64) not null, [subject] nvarchar(512) not null,
        [actor] nvarchar(255) not null, [token_id] nvarchar(64) null, [address]
        nvarchar(64) null, [request_id] nvarchar(128) null, [detail] nvarchar(max) null,
        [at] datetime2(3) not null, [attempts] bigint not null, [next_at] datetime2(3)
        null, [error] nvarchar(max) not null, [parked_at] datetime2(3) not null)`,
      `create unique index [parked_events_consumer_event_id_unique] on [parked_events]
        ([consumer], [event_id])`,
      `create table [webhooks] ([id] nvarchar(36) not null, [url] nvarchar(max) not null,
        [events] nvarchar(max) not null, [format] nvarchar(16) not null, [origin]
        nvarchar(16) not null, [enabled] bit not null, [reason] nvarchar(max) null,
        [secret] varbinary(max) null, [former_secret] varbinary(max) null,
        [former_ends_at] datetime2(3) null, [created_at] datetime2(3) not null, constraint
        [webhooks_pkey] primary key ([id]))`,
      `create table [webhook_deliveries] ([id] bigint identity(1,1) not null constraint
        [webhook_deliveries_pkey] primary key, [webhook_id] nvarchar(36) not null,
        [event_id] bigint not null, [type] nvarchar(64) not null, [subject] nvarchar(512)
        not null, [order_key] nvarchar(64) not null, [body] nvarchar(max) not null,
        [state] nvarchar(16) not null, [attempts] bigint not null, [next_at] datetime2(3)
        null, [log] nvarchar(max) not null, [created_at] datetime2(3) not null, [done_at]
        datetime2(3) null)`,
      `create index [webhook_deliveries_webhook_id_state_event_id_index] on [webhook_deliveries]
        ([webhook_id], [state], [event_id])`,
      `create index [webhook_deliveries_state_next_at_index] on [webhook_deliveries] ([state],
        [next_at])`,
      `create index [webhook_deliveries_webhook_id_order_key_event_id_index] on
        [webhook_deliveries] ([webhook_id], [order_key], [event_id])`,
      `create index [webhook_deliveries_webhook_id_state_next_at_index] on [webhook_deliveries]
        ([webhook_id], [state], [next_at])`,
      `create unique index [webhook_deliveries_webhook_id_event_id_unique] on
        [webhook_deliveries] ([webhook_id], [event_id])`,
    ],
  },
  down: () => [],
};
