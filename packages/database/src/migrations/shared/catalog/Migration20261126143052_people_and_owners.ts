import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126143052_people_and_owners: SharedMigration = {
  name: "Migration20261126143052_people_and_owners",
  up: {
    sqlite: [
      `create table \`name_settings\` (\`protocol\` text not null, \`name_key\` text not null,
        \`visibility\` text null, \`trusted_only\` integer not null, \`changed_at\`
        datetime not null, primary key (\`protocol\`, \`name_key\`))`,
      `create table \`ownerships\` (\`protocol\` text not null, \`name_key\` text not null,
        \`owner_id\` text not null, \`owner_kind\` text not null, \`level\` text not null,
        \`created_at\` datetime not null, \`created_by\` text not null, primary key
        (\`protocol\`, \`name_key\`, \`owner_id\`))`,
      `create index \`ownerships_owner_id_index\` on \`ownerships\` (\`owner_id\`)`,
      `create table \`owner_transfers\` (\`id\` text not null primary key, \`protocol\` text not
        null, \`name_key\` text not null, \`from_id\` text null, \`to_id\` text not null,
        \`level\` text not null, \`created_at\` datetime not null, \`created_by\` text not
        null, \`expires_at\` datetime not null, \`decided_at\` datetime null, \`decision\`
        text null, \`decided_by\` text null)`,
      `create index \`owner_transfers_to_id_index\` on \`owner_transfers\` (\`to_id\`)`,
      `create index \`owner_transfers_expires_at_index\` on \`owner_transfers\` (\`expires_at\`)`,
      `create index \`owner_transfers_protocol_name_key_index\` on \`owner_transfers\`
        (\`protocol\`, \`name_key\`)`,
      `create table \`reserved_names\` (\`id\` integer not null primary key autoincrement,
        \`protocol\` text not null, \`pattern\` text not null, \`is_prefix\` integer not
        null, \`owner_id\` text not null, \`owner_kind\` text not null, \`shared\` integer
        not null, \`delegated_from\` text null, \`created_at\` datetime not null,
        \`created_by\` text not null)`,
      `create index \`reserved_names_owner_id_index\` on \`reserved_names\` (\`owner_id\`)`,
      `create unique index \`reserved_names_protocol_pattern_owner_id_unique\` on
        \`reserved_names\` (\`protocol\`, \`pattern\`, \`owner_id\`)`,
    ],
    postgresql: [
      `create table "name_settings" ("protocol" varchar(16) collate "C" not null, "name_key"
        varchar(255) collate "C" not null, "visibility" varchar(16) collate "C" null,
        "trusted_only" boolean not null, "changed_at" timestamptz(3) not null, primary key
        ("protocol", "name_key"))`,
      `create table "ownerships" ("protocol" varchar(16) collate "C" not null, "name_key"
        varchar(255) collate "C" not null, "owner_id" varchar(36) collate "C" not null,
        "owner_kind" varchar(16) collate "C" not null, "level" varchar(16) collate "C" not
        null, "created_at" timestamptz(3) not null, "created_by" varchar(255) collate "C"
        not null, primary key ("protocol", "name_key", "owner_id"))`,
      `create index "ownerships_owner_id_index" on "ownerships" ("owner_id")`,
      `create table "owner_transfers" ("id" varchar(36) collate "C" not null, "protocol"
        varchar(16) collate "C" not null, "name_key" varchar(255) collate "C" not null,
        "from_id" varchar(36) collate "C" null, "to_id" varchar(36) collate "C" not null,
        "level" varchar(16) collate "C" not null, "created_at" timestamptz(3) not null,
        "created_by" varchar(255) collate "C" not null, "expires_at" timestamptz(3) not
        null, "decided_at" timestamptz(3) null, "decision" varchar(16) collate "C" null,
        "decided_by" varchar(255) collate "C" null, primary key ("id"))`,
      `create index "owner_transfers_to_id_index" on "owner_transfers" ("to_id")`,
      `create index "owner_transfers_expires_at_index" on "owner_transfers" ("expires_at")`,
      `create index "owner_transfers_protocol_name_key_index" on "owner_transfers" ("protocol",
        "name_key")`,
      `create table "reserved_names" ("id" bigserial primary key, "protocol" varchar(16) collate
        "C" not null, "pattern" varchar(255) collate "C" not null, "is_prefix" boolean not
        null, "owner_id" varchar(36) collate "C" not null, "owner_kind" varchar(16)
        collate "C" not null, "shared" boolean not null, "delegated_from" varchar(36)
        collate "C" null, "created_at" timestamptz(3) not null, "created_by" varchar(255)
        collate "C" not null)`,
      `create index "reserved_names_owner_id_index" on "reserved_names" ("owner_id")`,
      `alter table "reserved_names" add constraint
        "reserved_names_protocol_pattern_owner_id_unique" unique ("protocol", "pattern",
        "owner_id")`,
    ],
    mysql: [
      `create table \`name_settings\` (\`protocol\` varchar(16) collate utf8mb4_bin not null,
        \`name_key\` varchar(255) collate utf8mb4_bin not null, \`visibility\` varchar(16)
        collate utf8mb4_bin null, \`trusted_only\` tinyint(1) not null, \`changed_at\`
        datetime(3) not null, primary key (\`protocol\`, \`name_key\`)) default character
        set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `create table \`ownerships\` (\`protocol\` varchar(16) collate utf8mb4_bin not null,
        \`name_key\` varchar(255) collate utf8mb4_bin not null, \`owner_id\` varchar(36)
        collate utf8mb4_bin not null, \`owner_kind\` varchar(16) collate utf8mb4_bin not
        null, \`level\` varchar(16) collate utf8mb4_bin not null, \`created_at\`
        datetime(3) not null, \`created_by\` varchar(255) collate utf8mb4_bin not null,
        primary key (\`protocol\`, \`name_key\`, \`owner_id\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`ownerships\` add index \`ownerships_owner_id_index\` (\`owner_id\`)`,
      `create table \`owner_transfers\` (\`id\` varchar(36) collate utf8mb4_bin not null,
        \`protocol\` varchar(16) collate utf8mb4_bin not null, \`name_key\` varchar(255)
        collate utf8mb4_bin not null, \`from_id\` varchar(36) collate utf8mb4_bin null,
        \`to_id\` varchar(36) collate utf8mb4_bin not null, \`level\` varchar(16) collate
        utf8mb4_bin not null, \`created_at\` datetime(3) not null, \`created_by\`
        varchar(255) collate utf8mb4_bin not null, \`expires_at\` datetime(3) not null,
        \`decided_at\` datetime(3) null, \`decision\` varchar(16) collate utf8mb4_bin
        null, \`decided_by\` varchar(255) collate utf8mb4_bin null, primary key (\`id\`))
        default character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`owner_transfers\` add index \`owner_transfers_to_id_index\` (\`to_id\`)`,
      `alter table \`owner_transfers\` add index \`owner_transfers_expires_at_index\`
        (\`expires_at\`)`,
      `alter table \`owner_transfers\` add index \`owner_transfers_protocol_name_key_index\`
        (\`protocol\`, \`name_key\`)`,
      `create table \`reserved_names\` (\`id\` bigint unsigned not null auto_increment primary
        key, \`protocol\` varchar(16) collate utf8mb4_bin not null, \`pattern\`
        varchar(255) collate utf8mb4_bin not null, \`is_prefix\` tinyint(1) not null,
        \`owner_id\` varchar(36) collate utf8mb4_bin not null, \`owner_kind\` varchar(16)
        collate utf8mb4_bin not null, \`shared\` tinyint(1) not null, \`delegated_from\`
        varchar(36) collate utf8mb4_bin null, \`created_at\` datetime(3) not null,
        \`created_by\` varchar(255) collate utf8mb4_bin not null) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`reserved_names\` add index \`reserved_names_owner_id_index\` (\`owner_id\`)`,
      `alter table \`reserved_names\` add unique
        \`reserved_names_protocol_pattern_owner_id_unique\` (\`protocol\`, \`pattern\`,
        \`owner_id\`)`,
    ],
    mssql: [
      `create table [name_settings] ([protocol] nvarchar(16) not null, [name_key] nvarchar(255)
        not null, [visibility] nvarchar(16) null, [trusted_only] bit not null,
        [changed_at] datetime2(3) not null, constraint [name_settings_pkey] primary key
        ([protocol], [name_key]))`,
      `create table [ownerships] ([protocol] nvarchar(16) not null, [name_key] nvarchar(255) not
        null, [owner_id] nvarchar(36) not null, [owner_kind] nvarchar(16) not null,
        [level] nvarchar(16) not null, [created_at] datetime2(3) not null, [created_by]
        nvarchar(255) not null, constraint [ownerships_pkey] primary key ([protocol],
        [name_key], [owner_id]))`,
      `create index [ownerships_owner_id_index] on [ownerships] ([owner_id])`,
      `create table [owner_transfers] ([id] nvarchar(36) not null, [protocol] nvarchar(16) not
        null, [name_key] nvarchar(255) not null, [from_id] nvarchar(36) null, [to_id]
        nvarchar(36) not null, [level] nvarchar(16) not null, [created_at] datetime2(3)
        not null, [created_by] nvarchar(255) not null, [expires_at] datetime2(3) not null,
        [decided_at] datetime2(3) null, [decision] nvarchar(16) null, [decided_by]
        nvarchar(255) null, constraint [owner_transfers_pkey] primary key ([id]))`,
      `create index [owner_transfers_to_id_index] on [owner_transfers] ([to_id])`,
      `create index [owner_transfers_expires_at_index] on [owner_transfers] ([expires_at])`,
      `create index [owner_transfers_protocol_name_key_index] on [owner_transfers] ([protocol],
        [name_key])`,
      `create table [reserved_names] ([id] bigint identity(1,1) not null constraint
        [reserved_names_pkey] primary key, [protocol] nvarchar(16) not null, [pattern]
        nvarchar(255) not null, [is_prefix] bit not null, [owner_id] nvarchar(36) not
        null, [owner_kind] nvarchar(16) not null, [shared] bit not null, [delegated_from]
        nvarchar(36) null, [created_at] datetime2(3) not null, [created_by] nvarchar(255)
        not null)`,
      `create index [reserved_names_owner_id_index] on [reserved_names] ([owner_id])`,
      `create unique index [reserved_names_protocol_pattern_owner_id_unique] on [reserved_names]
        ([protocol], [pattern], [owner_id])`,
    ],
  },
  down: () => [],
};
