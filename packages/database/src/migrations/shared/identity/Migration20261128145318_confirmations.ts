import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261128145318_confirmations: SharedMigration = {
  name: "Migration20261128145318_confirmations",
  up: {
    sqlite: [
      `create table \`host_confirmations\` (\`hash\` text not null primary key, \`session_hash\`
        text not null, \`action\` text not null, \`subject\` text not null, \`path\` text
        not null, \`back_path\` text not null, \`sealed_form\` blob not null,
        \`created_at\` datetime not null, \`expires_at\` datetime not null,
        \`confirmed_at\` datetime null)`,
      `create index \`host_confirmations_session_hash_index\` on \`host_confirmations\`
        (\`session_hash\`)`,
      `create index \`host_confirmations_expires_at_index\` on \`host_confirmations\`
        (\`expires_at\`)`,
    ],
    postgresql: [
      `create table "host_confirmations" ("hash" varchar(64) collate "C" not null, "session_hash"
        varchar(64) collate "C" not null, "action" varchar(32) collate "C" not null,
        "subject" text not null, "path" text not null, "back_path" text not null,
        "sealed_form" bytea not null, "created_at" timestamptz(3) not null, "expires_at"
        timestamptz(3) not null, "confirmed_at" timestamptz(3) null, primary key ("hash"))`,
      `create index "host_confirmations_session_hash_index" on "host_confirmations"
        ("session_hash")`,
      `create index "host_confirmations_expires_at_index" on "host_confirmations" ("expires_at")`,
    ],
    mysql: [
      `create table \`host_confirmations\` (\`hash\` varchar(64) collate utf8mb4_bin not null,
        \`session_hash\` varchar(64) collate utf8mb4_bin not null, \`action\` varchar(32)
        collate utf8mb4_bin not null, \`subject\` longtext not null, \`path\` longtext not
        null, \`back_path\` longtext not null, \`sealed_form\` longblob not null,
        \`created_at\` datetime(3) not null, \`expires_at\` datetime(3) not null,
        \`confirmed_at\` datetime(3) null, primary key (\`hash\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_confirmations\` add index \`host_confirmations_session_hash_index\`
        (\`session_hash\`)`,
      `alter table \`host_confirmations\` add index \`host_confirmations_expires_at_index\`
        (\`expires_at\`)`,
    ],
    mssql: [
      `create table [host_confirmations] ([hash] nvarchar(64) not null, [session_hash]
        nvarchar(64) not null, [action] nvarchar(32) not null, [subject] nvarchar(max) not
        null, [path] nvarchar(max) not null, [back_path] nvarchar(max) not null,
        [sealed_form] varbinary(max) not null, [created_at] datetime2(3) not null,
        [expires_at] datetime2(3) not null, [confirmed_at] datetime2(3) null, constraint
        [host_confirmations_pkey] primary key ([hash]))`,
      `create index [host_confirmations_session_hash_index] on [host_confirmations]
        ([session_hash])`,
      `create index [host_confirmations_expires_at_index] on [host_confirmations] ([expires_at])`,
    ],
  },
  down: () => [],
};
