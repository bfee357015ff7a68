import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126080000_upstream_certificates: SharedMigration = {
  name: "Migration20261126080000_upstream_certificates",
  up: {
    sqlite: [
      `create table \`upstream_certificates\` (\`fingerprint\` text not null primary key,
        \`subject\` text not null, \`issuer\` text not null, \`not_before\` datetime not
        null, \`not_after\` datetime not null, \`seen_at\` datetime not null, \`der\`
        blob not null)`,
    ],
    postgresql: [
      `create table "upstream_certificates" ("fingerprint" varchar(64) collate "C" not null,
        "subject" text not null, "issuer" text not null, "not_before" timestamptz(3) not
        null, "not_after" timestamptz(3) not null, "seen_at" timestamptz(3) not null,
        "der" bytea not null, primary key ("fingerprint"))`,
    ],
    mysql: [
      `create table \`upstream_certificates\` (\`fingerprint\` varchar(64) collate
        utf8mb4_bin not null, \`subject\` longtext not null, \`issuer\` longtext not
        null, \`not_before\` datetime(3) not null, \`not_after\` datetime(3) not null,
        \`seen_at\` datetime(3) not null, \`der\` longblob not null, primary key
        (\`fingerprint\`)) default character set utf8mb4 collate utf8mb4_bin engine =
        InnoDB`,
    ],
    mssql: [
      `create table [upstream_certificates] ([fingerprint] nvarchar(64) not null, [subject]
        nvarchar(max) not null, [issuer] nvarchar(max) not null, [not_before]
        datetime2(3) not null, [not_after] datetime2(3) not null, [seen_at] datetime2(3)
        not null, [der] varbinary(max) not null, constraint
        [upstream_certificates_pkey] primary key ([fingerprint]))`,
    ],
  },
  down: () => [`drop table if exists "upstream_certificates"`],
};
