import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126072328_upstream_sources: SharedMigration = {
  name: "Migration20261126072328_upstream_sources",
  up: {
    sqlite: [
      `create table \`name_origins\` (\`protocol\` text not null, \`name\` text not null,
        \`origin\` text not null, \`source\` text null, \`since\` datetime not null,
        primary key (\`protocol\`, \`name\`))`,
      `create table \`source_states\` (\`key\` text not null primary key, \`last_success_at\`
        datetime null, \`last_error_at\` datetime null, \`last_error\` text null,
        \`paused_until\` datetime null)`,
      `create table \`package_sources\` (\`key\` text not null primary key, \`name\` text not
        null, \`protocol\` text not null, \`url\` text not null, \`type\` text not null,
        \`priority\` integer not null, \`surface\` text null, \`strategy\` text not null,
        \`signature_policy\` text not null, \`enabled\` integer not null, \`credentials\`
        blob null, \`settings\` text not null, \`changed_at\` datetime not null)`,
      `create table \`upstream_documents\` (\`document_key\` text not null primary key,
        \`source_hash\` text not null, \`status\` text not null, \`revision\` text not
        null, \`etag\` text null, \`last_modified\` text null, \`checked_at\` datetime not
        null, \`gone_since\` datetime null, \`content\` blob null)`,
      `create index \`upstream_documents_status_checked_at_index\` on \`upstream_documents\`
        (\`status\`, \`checked_at\`)`,
      `create index \`upstream_documents_source_hash_index\` on \`upstream_documents\`
        (\`source_hash\`)`,
    ],
    postgresql: [
      `create table "name_origins" ("protocol" varchar(16) collate "C" not null, "name"
        varchar(255) collate "C" not null, "origin" varchar(16) collate "C" not null,
        "source" varchar(64) collate "C" null, "since" timestamptz(3) not null, primary
        key ("protocol", "name"))`,
      `create table "source_states" ("key" varchar(64) collate "C" not null, "last_success_at"
        timestamptz(3) null, "last_error_at" timestamptz(3) null, "last_error" text null,
        "paused_until" timestamptz(3) null, primary key ("key"))`,
      `create table "package_sources" ("key" varchar(64) collate "C" not null, "name" varchar(64)
        collate "C" not null, "protocol" varchar(16) collate "C" not null, "url" text not
        null, "type" varchar(16) collate "C" not null, "priority" int not null, "surface"
        varchar(64) collate "C" null, "strategy" varchar(16) collate "C" not null,
        "signature_policy" varchar(16) collate "C" not null, "enabled" boolean not null,
        "credentials" bytea null, "settings" text not null, "changed_at" timestamptz(3)
        not null, primary key ("key"))`,
      `create table "upstream_documents" ("document_key" varchar(400) collate "C" not null,
        "source_hash" varchar(64) collate "C" not null, "status" varchar(16) collate "C"
        not null, "revision" varchar(64) collate "C" not null, "etag" text null,
        "last_modified" text null, "checked_at" timestamptz(3) not null, "gone_since"
        timestamptz(3) null, "content" bytea null, primary key ("document_key"))`,
      `create index "upstream_documents_status_checked_at_index" on "upstream_documents"
        ("status", "checked_at")`,
      `create index "upstream_documents_source_hash_index" on "upstream_documents"
        ("source_hash")`,
    ],
    mysql: [
      `create table \`name_origins\` (\`protocol\` varchar(16) collate utf8mb4_bin not null,
        \`name\` varchar(255) collate utf8mb4_bin not null, \`origin\` varchar(16) collate
        utf8mb4_bin not null, \`source\` varchar(64) collate utf8mb4_bin null, \`since\`
        datetime(3) not null, primary key (\`protocol\`, \`name\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `create table \`source_states\` (\`key\` varchar(64) collate utf8mb4_bin not null,
        \`last_success_at\` datetime(3) null, \`last_error_at\` datetime(3) null,
        \`last_error\` longtext null, \`paused_until\` datetime(3) null, primary key
        (\`key\`)) default character set utf8mb4
        collate utf8mb4_bin engine = InnoDB`,
      `create table \`package_sources\` (\`key\` varchar(64) collate utf8mb4_bin not null,
        \`name\` varchar(64) collate utf8mb4_bin not null, \`protocol\` varchar(16)
        collate utf8mb4_bin not null, \`url\` longtext not null, \`type\` varchar(16)
        collate utf8mb4_bin not null, \`priority\` int not null, \`surface\` varchar(64)
        collate utf8mb4_bin null, \`strategy\` varchar(16) collate utf8mb4_bin not null,
        \`signature_policy\` varchar(16) collate utf8mb4_bin not null, \`enabled\`
        tinyint(1) not null, \`credentials\` longblob null, \`settings\` longtext not
        null, \`changed_at\` datetime(3) not null, primary key (\`key\`)) default
        character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `create table \`upstream_documents\` (\`document_key\` varchar(400) collate utf8mb4_bin not
        null, \`source_hash\` varchar(64) collate utf8mb4_bin not null, \`status\`
        varchar(16) collate utf8mb4_bin not null, \`revision\` varchar(64) collate
        utf8mb4_bin not null, \`etag\` longtext null, \`last_modified\` longtext null,
        \`checked_at\` datetime(3) not null, \`gone_since\` datetime(3) null, \`content\`
        longblob null, primary key (\`document_key\`)) default character set utf8mb4
        collate utf8mb4_bin engine = InnoDB`,
      `alter table \`upstream_documents\` add index
        \`upstream_documents_status_checked_at_index\` (\`status\`, \`checked_at\`)`,
      `alter table \`upstream_documents\` add index \`upstream_documents_source_hash_index\`
        (\`source_hash\`)`,
    ],
    mssql: [
      `create table [name_origins] ([protocol] nvarchar(16) not null, [name] nvarchar(255) not
        null, [origin] nvarchar(16) not null, [source] nvarchar(64) null, [since]
        datetime2(3) not null, constraint [name_origins_pkey] primary key ([protocol],
        [name]))`,
      `create table [source_states] ([key] nvarchar(64) not null, [last_success_at] datetime2(3)
        null, [last_error_at] datetime2(3) null, [last_error] nvarchar(max) null,
        [paused_until] datetime2(3) null, constraint [source_states_pkey] primary key ([key]))`,
      `create table [package_sources] ([key] nvarchar(64) not null, [name] nvarchar(64) not null,
        [protocol] nvarchar(16) not null, [url] nvarchar(max) not null, [type]
        nvarchar(16) not null, [priority] int not null, [surface] nvarchar(64) null,
        [strategy] nvarchar(16) not null, [signature_policy] nvarchar(16) not null,
        [enabled] bit not null, [credentials] varbinary(max) null, [settings]
        nvarchar(max) not null, [changed_at] datetime2(3) not null, constraint
        [package_sources_pkey] primary key ([key]))`,
      `create table [upstream_documents] ([document_key] nvarchar(400) not null, [source_hash]
        nvarchar(64) not null, [status] nvarchar(16) not null, [revision] nvarchar(64) not
        null, [etag] nvarchar(max) null, [last_modified] nvarchar(max) null, [checked_at]
        datetime2(3) not null, [gone_since] datetime2(3) null, [content] varbinary(max)
        null, constraint [upstream_documents_pkey] primary key ([document_key]))`,
      `create index [upstream_documents_status_checked_at_index] on [upstream_documents]
        ([status], [checked_at])`,
      `create index [upstream_documents_source_hash_index] on [upstream_documents]
        ([source_hash])`,
    ],
  },
  down: () =>
    ["upstream_documents", "package_sources", "source_states", "name_origins"].map(
      (table) => `drop table if exists "${table}"`,
    ),
};
