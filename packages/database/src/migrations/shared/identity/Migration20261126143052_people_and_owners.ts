import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261126143052_people_and_owners: SharedMigration = {
  name: "Migration20261126143052_people_and_owners",
  up: {
    sqlite: [
      `create table \`host_external_identities\` (\`issuer\` text not null, \`subject\` text not
        null, \`user_id\` text not null, \`shown\` text not null, \`sealed_grant\` blob
        null, \`outcome\` text not null, \`checked_at\` datetime not null,
        \`claimed_until\` datetime null, primary key (\`issuer\`, \`subject\`))`,
      `create index \`host_external_identities_user_id_index\` on \`host_external_identities\`
        (\`user_id\`)`,
      `create index \`host_external_identities_checked_at_index\` on \`host_external_identities\`
        (\`checked_at\`)`,
      `create table \`host_challenges\` (\`hash\` text not null primary key, \`session_hash\`
        text not null, \`user_id\` text not null, \`purpose\` text not null, \`subject\`
        text null, \`created_at\` datetime not null, \`expires_at\` datetime not null)`,
      `create index \`host_challenges_expires_at_index\` on \`host_challenges\` (\`expires_at\`)`,
      `create table \`host_passkeys\` (\`credential_hash\` text not null primary key,
        \`credential_id\` text not null, \`user_id\` text not null, \`rp_id\` text not
        null, \`public_key\` blob not null, \`counter\` bigint not null, \`backed_up\`
        integer not null, \`transports\` text not null, \`name\` text not null,
        \`created_at\` datetime not null, \`used_at\` datetime null)`,
      `create index \`host_passkeys_user_id_index\` on \`host_passkeys\` (\`user_id\`)`,
      `create table \`host_sessions\` (\`hash\` text not null primary key, \`previous_hash\` text
        null, \`previous_ends_at\` datetime null, \`user_id\` text null, \`token_id\` text
        null, \`epoch\` integer not null, \`created_at\` datetime not null, \`rotated_at\`
        datetime not null, \`seen_at\` datetime not null, \`idle_ends_at\` datetime not
        null, \`ends_at\` datetime not null, \`stepped_up_at\` datetime null, \`address\`
        text null, \`agent\` text null)`,
      `create index \`host_sessions_previous_hash_index\` on \`host_sessions\`
        (\`previous_hash\`)`,
      `create index \`host_sessions_user_id_index\` on \`host_sessions\` (\`user_id\`)`,
      `create index \`host_sessions_token_id_index\` on \`host_sessions\` (\`token_id\`)`,
      `create index \`host_sessions_ends_at_index\` on \`host_sessions\` (\`ends_at\`)`,
      `create table \`host_teams\` (\`id\` text not null primary key, \`handle\` text not null,
        \`display_name\` text not null, \`group_ref\` text null, \`created_at\` datetime
        not null)`,
      `create unique index \`host_teams_handle_unique\` on \`host_teams\` (\`handle\`)`,
      `create table \`host_users\` (\`id\` text not null primary key, \`handle\` text not null,
        \`display_name\` text not null, \`email\` text null, \`role\` text not null,
        \`role_source\` text not null, \`state\` text not null, \`reason\` text null,
        \`epoch\` integer not null, \`created_at\` datetime not null, \`validated_at\`
        datetime null, \`last_sign_in_at\` datetime null)`,
      `create unique index \`host_users_handle_unique\` on \`host_users\` (\`handle\`)`,
      `create index \`host_users_state_validated_at_index\` on \`host_users\` (\`state\`,
        \`validated_at\`)`,
      `create table \`host_owner_names\` (\`name\` text not null primary key, \`kind\` text not
        null, \`owner_id\` text not null, \`created_at\` datetime not null)`,
      `create index \`host_owner_names_owner_id_index\` on \`host_owner_names\` (\`owner_id\`)`,
      `create table \`host_publish_policies\` (\`id\` text not null primary key, \`provider\`
        text not null, \`issuer\` text not null, \`claims\` text not null, \`pinned\` text
        null, \`pin_ends_at\` datetime null, \`owner_id\` text null, \`created_by\` text
        not null, \`maker_id\` text null, \`protocols\` text not null, \`patterns\` text
        not null, \`scopes\` text not null, \`life_seconds\` integer not null,
        \`may_create\` integer not null, \`events\` text not null, \`fixed_audience\` text
        null, \`state\` text not null, \`created_at\` datetime not null, \`used_at\`
        datetime null)`,
      `create index \`host_publish_policies_issuer_index\` on \`host_publish_policies\`
        (\`issuer\`)`,
      `create index \`host_publish_policies_owner_id_index\` on \`host_publish_policies\`
        (\`owner_id\`)`,
      `create index \`host_publish_policies_maker_id_index\` on \`host_publish_policies\`
        (\`maker_id\`)`,
      `create table \`host_service_accounts\` (\`id\` text not null primary key, \`name\` text
        not null, \`team_id\` text null, \`state\` text not null, \`created_at\` datetime
        not null)`,
      `create unique index \`host_service_accounts_name_unique\` on \`host_service_accounts\`
        (\`name\`)`,
      `create index \`host_service_accounts_team_id_index\` on \`host_service_accounts\`
        (\`team_id\`)`,
      `create table \`host_team_members\` (\`team_id\` text not null, \`user_id\` text not null,
        \`level\` text not null, \`source\` text not null, \`created_at\` datetime not
        null, primary key (\`team_id\`, \`user_id\`))`,
      `create index \`host_team_members_user_id_index\` on \`host_team_members\` (\`user_id\`)`,
      `create table \`host_used_id_tokens\` (\`fingerprint\` text not null, \`surface\` text not
        null, \`subject\` text not null, \`policy_id\` text not null, \`token_id\` text
        not null, \`ends_at\` datetime not null, primary key (\`fingerprint\`,
        \`surface\`, \`subject\`))`,
      `create index \`host_used_id_tokens_ends_at_index\` on \`host_used_id_tokens\`
        (\`ends_at\`)`,
      `create table \`host_sign_ins\` (\`state_hash\` text not null primary key, \`browser_hash\`
        text not null, \`provider\` text not null, \`sealed_verifier\` blob not null,
        \`nonce\` text not null, \`purpose\` text not null, \`session_hash\` text null,
        \`return_path\` text not null, \`created_at\` datetime not null, \`expires_at\`
        datetime not null)`,
      `create index \`host_sign_ins_expires_at_index\` on \`host_sign_ins\` (\`expires_at\`)`,
      `alter table \`host_tokens\` add column \`user_id\` text null`,
      `alter table \`host_tokens\` add column \`service_account_id\` text null`,
      `alter table \`host_tokens\` add column \`policy_id\` text null`,
      `alter table \`host_tokens\` add column \`replaces\` text null`,
      `alter table \`host_tokens\` add column \`leaked_at\` datetime null`,
      `alter table \`host_tokens\` add column \`noticed_days\` integer null`,
      `create index \`host_tokens_user_id_index\` on \`host_tokens\` (\`user_id\`)`,
      `create index \`host_tokens_service_account_id_index\` on \`host_tokens\`
        (\`service_account_id\`)`,
      `create index \`host_tokens_policy_id_index\` on \`host_tokens\` (\`policy_id\`)`,
    ],
    postgresql: [
      `create table "host_external_identities" ("issuer" varchar(160) collate "C" not null,
        "subject" varchar(255) collate "C" not null, "user_id" varchar(36) collate "C" not
        null, "shown" text not null, "sealed_grant" bytea null, "outcome" varchar(16)
        collate "C" not null, "checked_at" timestamptz(3) not null, "claimed_until"
        timestamptz(3) null, primary key ("issuer", "subject"))`,
      `create index "host_external_identities_user_id_index" on "host_external_identities"
        ("user_id")`,
      `create index "host_external_identities_checked_at_index" on "host_external_identities"
        ("checked_at")`,
      `create table "host_challenges" ("hash" varchar(64) collate "C" not null, "session_hash"
        varchar(64) collate "C" not null, "user_id" varchar(36) collate "C" not null,
        "purpose" varchar(32) collate "C" not null, "subject" text null, "created_at"
        timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key
        ("hash"))`,
      `create index "host_challenges_expires_at_index" on "host_challenges" ("expires_at")`,
      `create table "host_passkeys" ("credential_hash" varchar(64) collate "C" not null,
        "credential_id" text not null, "user_id" varchar(36) collate "C" not null, "rp_id"
        varchar(255) collate "C" not null, "public_key" bytea not null, "counter" bigint
        not null, "backed_up" boolean not null, "transports" text not null, "name" text
        not null, "created_at" timestamptz(3) not null, "used_at" timestamptz(3) null,
        primary key ("credential_hash"))`,
      `create index "host_passkeys_user_id_index" on "host_passkeys" ("user_id")`,
      `create table "host_sessions" ("hash" varchar(64) collate "C" not null, "previous_hash"
        varchar(64) collate "C" null, "previous_ends_at" timestamptz(3) null, "user_id"
        varchar(36) collate "C" null, "token_id" varchar(36) collate "C" null, "epoch" int
        not null, "created_at" timestamptz(3) not null, "rotated_at" timestamptz(3) not
        null, "seen_at" timestamptz(3) not null, "idle_ends_at" timestamptz(3) not null,
        "ends_at" timestamptz(3) not null, "stepped_up_at" timestamptz(3) null, "address"
        varchar(64) collate "C" null, "agent" text null, primary key ("hash"))`,
      `create index "host_sessions_previous_hash_index" on "host_sessions" ("previous_hash")`,
      `create index "host_sessions_user_id_index" on "host_sessions" ("user_id")`,
      `create index "host_sessions_token_id_index" on "host_sessions" ("token_id")`,
      `create index "host_sessions_ends_at_index" on "host_sessions" ("ends_at")`,
      `create table "host_teams" ("id" varchar(36) collate "C" not null, "handle" varchar(39)
        collate "C" not null, "display_name" text not null, "group_ref" varchar(255)
        collate "C" null, "created_at" timestamptz(3) not null, primary key ("id"))`,
      `alter table "host_teams" add constraint "host_teams_handle_unique" unique ("handle")`,
      `create table "host_users" ("id" varchar(36) collate "C" not null, "handle" varchar(39)
        collate "C" not null, "display_name" text not null, "email" text null, "role"
        varchar(16) collate "C" not null, "role_source" varchar(16) collate "C" not null,
        "state" varchar(16) collate "C" not null, "reason" text null, "epoch" int not
        null, "created_at" timestamptz(3) not null, "validated_at" timestamptz(3) null,
        "last_sign_in_at" timestamptz(3) null, primary key ("id"))`,
      `alter table "host_users" add constraint "host_users_handle_unique" unique ("handle")`,
      `create index "host_users_state_validated_at_index" on "host_users" ("state",
        "validated_at")`,
      `create table "host_owner_names" ("name" varchar(39) collate "C" not null, "kind"
        varchar(16) collate "C" not null, "owner_id" varchar(36) collate "C" not null,
        "created_at" timestamptz(3) not null, primary key ("name"))`,
      `create index "host_owner_names_owner_id_index" on "host_owner_names" ("owner_id")`,
      `create table "host_publish_policies" ("id" varchar(36) collate "C" not null, "provider"
        varchar(32) collate "C" not null, "issuer" varchar(255) collate "C" not null,
        "claims" text not null, "pinned" text null, "pin_ends_at" timestamptz(3) null,
        "owner_id" varchar(36) collate "C" null, "created_by" varchar(255) collate "C" not
        null, "maker_id" varchar(36) collate "C" null, "protocols" text not null,
        "patterns" text not null, "scopes" text not null, "life_seconds" int not null,
        "may_create" boolean not null, "events" text not null, "fixed_audience"
        varchar(255) collate "C" null, "state" varchar(16) collate "C" not null,
        "created_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key
        ("id"))`,
      `create index "host_publish_policies_issuer_index" on "host_publish_policies" ("issuer")`,
      `create index "host_publish_policies_owner_id_index" on "host_publish_policies"
        ("owner_id")`,
      `create index "host_publish_policies_maker_id_index" on "host_publish_policies"
        ("maker_id")`,
      `create table "host_service_accounts" ("id" varchar(36) collate "C" not null, "name"
        varchar(64) collate "C" not null, "team_id" varchar(36) collate "C" null, "state"
        varchar(16) collate "C" not null, "created_at" timestamptz(3) not null, primary
        key ("id"))`,
      `alter table "host_service_accounts" add constraint "host_service_accounts_name_unique"
        unique ("name")`,
      `create index "host_service_accounts_team_id_index" on "host_service_accounts" ("team_id")`,
      `create table "host_team_members" ("team_id" varchar(36) collate "C" not null, "user_id"
        varchar(36) collate "C" not null, "level" varchar(16) collate "C" not null,
        "source" varchar(16) collate "C" not null, "created_at" timestamptz(3) not null,
        primary key ("team_id", "user_id"))`,
      `create index "host_team_members_user_id_index" on "host_team_members" ("user_id")`,
      `create table "host_used_id_tokens" ("fingerprint" varchar(64) collate "C" not null,
        "surface" varchar(16) collate "C" not null, "subject" varchar(255) collate "C" not
        null, "policy_id" varchar(36) collate "C" not null, "token_id" varchar(36) collate
        "C" not null, "ends_at" timestamptz(3) not null, primary key ("fingerprint",
        "surface", "subject"))`,
      `create index "host_used_id_tokens_ends_at_index" on "host_used_id_tokens" ("ends_at")`,
      `create table "host_sign_ins" ("state_hash" varchar(64) collate "C" not null,
        "browser_hash" varchar(64) collate "C" not null, "provider" varchar(16) collate
        "C" not null, "sealed_verifier" bytea not null, "nonce" varchar(64) collate "C"
        not null, "purpose" varchar(32) collate "C" not null, "session_hash" varchar(64)
        collate "C" null, "return_path" text not null, "created_at" timestamptz(3) not
        null, "expires_at" timestamptz(3) not null, primary key ("state_hash"))`,
      `create index "host_sign_ins_expires_at_index" on "host_sign_ins" ("expires_at")`,
      `alter table "host_tokens" add "user_id" varchar(36) collate "C" null, add
        "service_account_id" varchar(36) collate "C" null, add "policy_id" varchar(36)
        collate "C" null, add "replaces" varchar(36) collate "C" null, add "leaked_at"
        timestamptz(3) null, add "noticed_days" int null`,
      `create index "host_tokens_user_id_index" on "host_tokens" ("user_id")`,
      `create index "host_tokens_service_account_id_index" on "host_tokens"
        ("service_account_id")`,
      `create index "host_tokens_policy_id_index" on "host_tokens" ("policy_id")`,
    ],
    mysql: [
      `create table \`host_external_identities\` (\`issuer\` varchar(160) collate utf8mb4_bin not
        null, \`subject\` varchar(255) collate utf8mb4_bin not null, \`user_id\`
        varchar(36) collate utf8mb4_bin not null, \`shown\` longtext not null,
        \`sealed_grant\` longblob null, \`outcome\` varchar(16) collate utf8mb4_bin not
        null, \`checked_at\` datetime(3) not null, \`claimed_until\` datetime(3) null,
        primary key (\`issuer\`, \`subject\`)) default character set utf8mb4 collate
        utf8mb4_bin engine = InnoDB`,
      `alter table \`host_external_identities\` add index
        \`host_external_identities_user_id_index\` (\`user_id\`)`,
      `alter table \`host_external_identities\` add index
        \`host_external_identities_checked_at_index\` (\`checked_at\`)`,
      `create table \`host_challenges\` (\`hash\` varchar(64) collate utf8mb4_bin not null,
        \`session_hash\` varchar(64) collate utf8mb4_bin not null, \`user_id\` varchar(36)
        collate utf8mb4_bin not null, \`purpose\` varchar(32) collate utf8mb4_bin not
        null, \`subject\` longtext null, \`created_at\` datetime(3) not null,
        \`expires_at\` datetime(3) not null, primary key (\`hash\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_challenges\` add index \`host_challenges_expires_at_index\`
        (\`expires_at\`)`,
      `create table \`host_passkeys\` (\`credential_hash\` varchar(64) collate utf8mb4_bin not
        null, \`credential_id\` longtext not null, \`user_id\` varchar(36) collate
        utf8mb4_bin not null, \`rp_id\` varchar(255) collate utf8mb4_bin not null,
        \`public_key\` longblob not null, \`counter\` bigint not null, \`backed_up\`
        tinyint(1) not null, \`transports\` longtext not null, \`name\` longtext not null,
        \`created_at\` datetime(3) not null, \`used_at\` datetime(3) null, primary key
        (\`credential_hash\`)) default character set utf8mb4 collate utf8mb4_bin engine =
        InnoDB`,
      `alter table \`host_passkeys\` add index \`host_passkeys_user_id_index\` (\`user_id\`)`,
      `create table \`host_sessions\` (\`hash\` varchar(64) collate utf8mb4_bin not null,
        \`previous_hash\` varchar(64) collate utf8mb4_bin null, \`previous_ends_at\`
        datetime(3) null, \`user_id\` varchar(36) collate utf8mb4_bin null, \`token_id\`
        varchar(36) collate utf8mb4_bin null, \`epoch\` int not null, \`created_at\`
        datetime(3) not null, \`rotated_at\` datetime(3) not null, \`seen_at\` datetime(3)
        not null, \`idle_ends_at\` datetime(3) not null, \`ends_at\` datetime(3) not null,
        \`stepped_up_at\` datetime(3) null, \`address\` varchar(64) collate utf8mb4_bin
        null, \`agent\` longtext null, primary key (\`hash\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_sessions\` add index \`host_sessions_previous_hash_index\`
        (\`previous_hash\`)`,
      `alter table \`host_sessions\` add index \`host_sessions_user_id_index\` (\`user_id\`)`,
      `alter table \`host_sessions\` add index \`host_sessions_token_id_index\` (\`token_id\`)`,
      `alter table \`host_sessions\` add index \`host_sessions_ends_at_index\` (\`ends_at\`)`,
      `create table \`host_teams\` (\`id\` varchar(36) collate utf8mb4_bin not null, \`handle\`
        varchar(39) collate utf8mb4_bin not null, \`display_name\` longtext not null,
        \`group_ref\` varchar(255) collate utf8mb4_bin null, \`created_at\` datetime(3)
        not null, primary key (\`id\`)) default character set utf8mb4 collate utf8mb4_bin
        engine = InnoDB`,
      `alter table \`host_teams\` add unique \`host_teams_handle_unique\` (\`handle\`)`,
      `create table \`host_users\` (\`id\` varchar(36) collate utf8mb4_bin not null, \`handle\`
        varchar(39) collate utf8mb4_bin not null, \`display_name\` longtext not null,
        \`email\` longtext null, \`role\` varchar(16) collate utf8mb4_bin not null,
        \`role_source\` varchar(16) collate utf8mb4_bin not null, \`state\` varchar(16)
        collate utf8mb4_bin not null, \`reason\` longtext null, \`epoch\` int not null,
        \`created_at\` datetime(3) not null, \`validated_at\` datetime(3) null,
        \`last_sign_in_at\` datetime(3) null, primary key (\`id\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_users\` add unique \`host_users_handle_unique\` (\`handle\`)`,
      `alter table \`host_users\` add index \`host_users_state_validated_at_index\` (\`state\`,
        \`validated_at\`)`,
      `create table \`host_owner_names\` (\`name\` varchar(39) collate utf8mb4_bin not null,
        \`kind\` varchar(16) collate utf8mb4_bin not null, \`owner_id\` varchar(36)
        collate utf8mb4_bin not null, \`created_at\` datetime(3) not null, primary key
        (\`name\`)) default character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_owner_names\` add index \`host_owner_names_owner_id_index\`
        (\`owner_id\`)`,
      `create table \`host_publish_policies\` (\`id\` varchar(36) collate utf8mb4_bin not null,
        \`provider\` varchar(32) collate utf8mb4_bin not null, \`issuer\` varchar(255)
        collate utf8mb4_bin not null, \`claims\` longtext not null, \`pinned\` longtext
        null, \`pin_ends_at\` datetime(3) null, \`owner_id\` varchar(36) collate
        utf8mb4_bin null, \`created_by\` varchar(255) collate utf8mb4_bin not null,
        \`maker_id\` varchar(36) collate utf8mb4_bin null, \`protocols\` longtext not
        null, \`patterns\` longtext not null, \`scopes\` longtext not null,
        \`life_seconds\` int not null, \`may_create\` tinyint(1) not null, \`events\`
        longtext not null, \`fixed_audience\` varchar(255) collate utf8mb4_bin null,
        \`state\` varchar(16) collate utf8mb4_bin not null, \`created_at\` datetime(3) not
        null, \`used_at\` datetime(3) null, primary key (\`id\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_publish_policies\` add index \`host_publish_policies_issuer_index\`
        (\`issuer\`)`,
      `alter table \`host_publish_policies\` add index \`host_publish_policies_owner_id_index\`
        (\`owner_id\`)`,
      `alter table \`host_publish_policies\` add index \`host_publish_policies_maker_id_index\`
        (\`maker_id\`)`,
      `create table \`host_service_accounts\` (\`id\` varchar(36) collate utf8mb4_bin not null,
        \`name\` varchar(64) collate utf8mb4_bin not null, \`team_id\` varchar(36) collate
        utf8mb4_bin null, \`state\` varchar(16) collate utf8mb4_bin not null,
        \`created_at\` datetime(3) not null, primary key (\`id\`)) default character set
        utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_service_accounts\` add unique \`host_service_accounts_name_unique\`
        (\`name\`)`,
      `alter table \`host_service_accounts\` add index \`host_service_accounts_team_id_index\`
        (\`team_id\`)`,
      `create table \`host_team_members\` (\`team_id\` varchar(36) collate utf8mb4_bin not null,
        \`user_id\` varchar(36) collate utf8mb4_bin not null, \`level\` varchar(16)
        collate utf8mb4_bin not null, \`source\` varchar(16) collate utf8mb4_bin not null,
        \`created_at\` datetime(3) not null, primary key (\`team_id\`, \`user_id\`))
        default character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_team_members\` add index \`host_team_members_user_id_index\`
        (\`user_id\`)`,
      `create table \`host_used_id_tokens\` (\`fingerprint\` varchar(64) collate utf8mb4_bin not
        null, \`surface\` varchar(16) collate utf8mb4_bin not null, \`subject\`
        varchar(255) collate utf8mb4_bin not null, \`policy_id\` varchar(36) collate
        utf8mb4_bin not null, \`token_id\` varchar(36) collate utf8mb4_bin not null,
        \`ends_at\` datetime(3) not null, primary key (\`fingerprint\`, \`surface\`,
        \`subject\`)) default character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_used_id_tokens\` add index \`host_used_id_tokens_ends_at_index\`
        (\`ends_at\`)`,
      `create table \`host_sign_ins\` (\`state_hash\` varchar(64) collate utf8mb4_bin not null,
        \`browser_hash\` varchar(64) collate utf8mb4_bin not null, \`provider\`
        varchar(16) collate utf8mb4_bin not null, \`sealed_verifier\` longblob not null,
        \`nonce\` varchar(64) collate utf8mb4_bin not null, \`purpose\` varchar(32)
        collate utf8mb4_bin not null, \`session_hash\` varchar(64) collate utf8mb4_bin
        null, \`return_path\` longtext not null, \`created_at\` datetime(3) not null,
        \`expires_at\` datetime(3) not null, primary key (\`state_hash\`)) default
        character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
      `alter table \`host_sign_ins\` add index \`host_sign_ins_expires_at_index\`
        (\`expires_at\`)`,
      `alter table \`host_tokens\` add \`user_id\` varchar(36) collate utf8mb4_bin null, add
        \`service_account_id\` varchar(36) collate utf8mb4_bin null, add \`policy_id\`
        varchar(36) collate utf8mb4_bin null, add \`replaces\` varchar(36) collate
        utf8mb4_bin null, add \`leaked_at\` datetime(3) null, add \`noticed_days\` int
        null`,
      `alter table \`host_tokens\` add index \`host_tokens_user_id_index\` (\`user_id\`)`,
      `alter table \`host_tokens\` add index \`host_tokens_service_account_id_index\`
        (\`service_account_id\`)`,
      `alter table \`host_tokens\` add index \`host_tokens_policy_id_index\` (\`policy_id\`)`,
    ],
    mssql: [
      `create table [host_external_identities] ([issuer] nvarchar(160) not null, [subject]
        nvarchar(255) not null, [user_id] nvarchar(36) not null, [shown] nvarchar(max) not
        null, [sealed_grant] varbinary(max) null, [outcome] nvarchar(16) not null,
        [checked_at] datetime2(3) not null, [claimed_until] datetime2(3) null, constraint
        [host_external_identities_pkey] primary key ([issuer], [subject]))`,
      `create index [host_external_identities_user_id_index] on [host_external_identities]
        ([user_id])`,
      `create index [host_external_identities_checked_at_index] on [host_external_identities]
        ([checked_at])`,
      `create table [host_challenges] ([hash] nvarchar(64) not null, [session_hash] nvarchar(64)
        not null, [user_id] nvarchar(36) not null, [purpose] nvarchar(32) not null,
        [subject] nvarchar(max) null, [created_at] datetime2(3) not null, [expires_at]
        datetime2(3) not null, constraint [host_challenges_pkey] primary key ([hash]))`,
      `create index [host_challenges_expires_at_index] on [host_challenges] ([expires_at])`,
      `create table [host_passkeys] ([credential_hash] nvarchar(64) not null, [credential_id]
        nvarchar(max) not null, [user_id] nvarchar(36) not null, [rp_id] nvarchar(255) not
        null, [public_key] varbinary(max) not null, [counter] bigint not null, [backed_up]
        bit not null, [transports] nvarchar(max) not null, [name] nvarchar(max) not null,
        [created_at] datetime2(3) not null, [used_at] datetime2(3) null, constraint
        [host_passkeys_pkey] primary key ([credential_hash]))`,
      `create index [host_passkeys_user_id_index] on [host_passkeys] ([user_id])`,
      `create table [host_sessions] ([hash] nvarchar(64) not null, [previous_hash] nvarchar(64)
        null, [previous_ends_at] datetime2(3) null, [user_id] nvarchar(36) null,
        [token_id] nvarchar(36) null, [epoch] int not null, [created_at] datetime2(3) not
        null, [rotated_at] datetime2(3) not null, [seen_at] datetime2(3) not null,
        [idle_ends_at] datetime2(3) not null, [ends_at] datetime2(3) not null,
        [stepped_up_at] datetime2(3) null, [address] nvarchar(64) null, [agent]
        nvarchar(max) null, constraint [host_sessions_pkey] primary key ([hash]))`,
      `create index [host_sessions_previous_hash_index] on [host_sessions] ([previous_hash])`,
      `create index [host_sessions_user_id_index] on [host_sessions] ([user_id])`,
      `create index [host_sessions_token_id_index] on [host_sessions] ([token_id])`,
      `create index [host_sessions_ends_at_index] on [host_sessions] ([ends_at])`,
      `create table [host_teams] ([id] nvarchar(36) not null, [handle] nvarchar(39) not null,
        [display_name] nvarchar(max) not null, [group_ref] nvarchar(255) null,
        [created_at] datetime2(3) not null, constraint [host_teams_pkey] primary key
        ([id]))`,
      `create unique index [host_teams_handle_unique] on [host_teams] ([handle])`,
      `create table [host_users] ([id] nvarchar(36) not null, [handle] nvarchar(39) not null,
        [display_name] nvarchar(max) not null, [email] nvarchar(max) null, [role]
        nvarchar(16) not null, [role_source] nvarchar(16) not null, [state] nvarchar(16)
        not null, [reason] nvarchar(max) null, [epoch] int not null, [created_at]
        datetime2(3) not null, [validated_at] datetime2(3) null, [last_sign_in_at]
        datetime2(3) null, constraint [host_users_pkey] primary key ([id]))`,
      `create unique index [host_users_handle_unique] on [host_users] ([handle])`,
      `create index [host_users_state_validated_at_index] on [host_users] ([state],
        [validated_at])`,
      `create table [host_owner_names] ([name] nvarchar(39) not null, [kind] nvarchar(16) not
        null, [owner_id] nvarchar(36) not null, [created_at] datetime2(3) not null,
        constraint [host_owner_names_pkey] primary key ([name]))`,
      `create index [host_owner_names_owner_id_index] on [host_owner_names] ([owner_id])`,
      `create table [host_publish_policies] ([id] nvarchar(36) not null, [provider] nvarchar(32)
        not null, [issuer] nvarchar(255) not null, [claims] nvarchar(max) not null,
        [pinned] nvarchar(max) null, [pin_ends_at] datetime2(3) null, [owner_id]
        nvarchar(36) null, [created_by] nvarchar(255) not null, [maker_id] nvarchar(36)
        null, [protocols] nvarchar(max) not null, [patterns] nvarchar(max) not null,
        [scopes] nvarchar(max) not null, [life_seconds] int not null, [may_create] bit not
        null, [events] nvarchar(max) not null, [fixed_audience] nvarchar(255) null,
        [state] nvarchar(16) not null, [created_at] datetime2(3) not null, [used_at]
        datetime2(3) null, constraint [host_publish_policies_pkey] primary key ([id]))`,
      `create index [host_publish_policies_issuer_index] on [host_publish_policies] ([issuer])`,
      `create index [host_publish_policies_owner_id_index] on [host_publish_policies]
        ([owner_id])`,
      `create index [host_publish_policies_maker_id_index] on [host_publish_policies]
        ([maker_id])`,
      `create table [host_service_accounts] ([id] nvarchar(36) not null, [name] nvarchar(64) not
        null, [team_id] nvarchar(36) null, [state] nvarchar(16) not null, [created_at]
        datetime2(3) not null, constraint [host_service_accounts_pkey] primary key ([id]))`,
      `create unique index [host_service_accounts_name_unique] on [host_service_accounts]
        ([name])`,
      `create index [host_service_accounts_team_id_index] on [host_service_accounts] ([team_id])`,
      `create table [host_team_members] ([team_id] nvarchar(36) not null, [user_id] nvarchar(36)
        not null, [level] nvarchar(16) not null, [source] nvarchar(16) not null,
        [created_at] datetime2(3) not null, constraint [host_team_members_pkey] primary
        key ([team_id], [user_id]))`,
      `create index [host_team_members_user_id_index] on [host_team_members] ([user_id])`,
      `create table [host_used_id_tokens] ([fingerprint] nvarchar(64) not null, [surface]
        nvarchar(16) not null, [subject] nvarchar(255) not null, [policy_id] nvarchar(36)
        not null, [token_id] nvarchar(36) not null, [ends_at] datetime2(3) not null,
        constraint [host_used_id_tokens_pkey] primary key ([fingerprint], [surface],
        [subject]))`,
      `create index [host_used_id_tokens_ends_at_index] on [host_used_id_tokens] ([ends_at])`,
      `create table [host_sign_ins] ([state_hash] nvarchar(64) not null, [browser_hash]
        nvarchar(64) not null, [provider] nvarchar(16) not null, [sealed_verifier]
        varbinary(max) not null, [nonce] nvarchar(64) not null, [purpose] nvarchar(32) not
        null, [session_hash] nvarchar(64) null, [return_path] nvarchar(max) not null,
        [created_at] datetime2(3) not null, [expires_at] datetime2(3) not null, constraint
        [host_sign_ins_pkey] primary key ([state_hash]))`,
      `create index [host_sign_ins_expires_at_index] on [host_sign_ins] ([expires_at])`,
      `alter table [host_tokens] add [user_id] nvarchar(36) null`,
      `alter table [host_tokens] add [service_account_id] nvarchar(36) null`,
      `alter table [host_tokens] add [policy_id] nvarchar(36) null`,
      `alter table [host_tokens] add [replaces] nvarchar(36) null`,
      `alter table [host_tokens] add [leaked_at] datetime2(3) null`,
      `alter table [host_tokens] add [noticed_days] int null`,
      `create index [host_tokens_user_id_index] on [host_tokens] ([user_id])`,
      `create index [host_tokens_service_account_id_index] on [host_tokens]
        ([service_account_id])`,
      `create index [host_tokens_policy_id_index] on [host_tokens] ([policy_id])`,
    ],
  },
  down: {
    sqlite: [
      `drop index \`host_tokens_user_id_index\``,
      `drop index \`host_tokens_service_account_id_index\``,
      `drop index \`host_tokens_policy_id_index\``,
      `alter table \`host_tokens\` drop column \`user_id\``,
      `alter table \`host_tokens\` drop column \`service_account_id\``,
      `alter table \`host_tokens\` drop column \`policy_id\``,
      `alter table \`host_tokens\` drop column \`replaces\``,
      `alter table \`host_tokens\` drop column \`leaked_at\``,
      `alter table \`host_tokens\` drop column \`noticed_days\``,
    ],
    postgresql: [
      `drop index "host_tokens_user_id_index"`,
      `drop index "host_tokens_service_account_id_index"`,
      `drop index "host_tokens_policy_id_index"`,
      `alter table "host_tokens" drop column "user_id", drop column "service_account_id", drop
        column "policy_id", drop column "replaces", drop column "leaked_at", drop column
        "noticed_days"`,
    ],
    mysql: [
      `alter table \`host_tokens\` drop index \`host_tokens_user_id_index\``,
      `alter table \`host_tokens\` drop index \`host_tokens_service_account_id_index\``,
      `alter table \`host_tokens\` drop index \`host_tokens_policy_id_index\``,
      `alter table \`host_tokens\` drop column \`user_id\`, drop column \`service_account_id\`,
        drop column \`policy_id\`, drop column \`replaces\`, drop column \`leaked_at\`,
        drop column \`noticed_days\``,
    ],
    mssql: [
      `drop index [host_tokens_user_id_index] on [host_tokens]`,
      `drop index [host_tokens_service_account_id_index] on [host_tokens]`,
      `drop index [host_tokens_policy_id_index] on [host_tokens]`,
      `declare @constraint0 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'host_tokens' and all_columns.name = 'user_id') if
        @constraint0 is not null exec('alter table [host_tokens] drop constraint ' +
        @constraint0)`,
      `declare @constraint1 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'host_tokens' and all_columns.name = 'service_account_id')
        if @constraint1 is not null exec('alter table [host_tokens] drop constraint ' +
        @constraint1)`,
      `declare @constraint2 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'host_tokens' and all_columns.name = 'policy_id') if
        @constraint2 is not null exec('alter table [host_tokens] drop constraint ' +
        @constraint2)`,
      `declare @constraint3 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'host_tokens' and all_columns.name = 'replaces') if
        @constraint3 is not null exec('alter table [host_tokens] drop constraint ' +
        @constraint3)`,
      `declare @constraint4 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'host_tokens' and all_columns.name = 'leaked_at') if
        @constraint4 is not null exec('alter table [host_tokens] drop constraint ' +
        @constraint4)`,
      `declare @constraint5 varchar(100) = (select default_constraints.name from sys.all_columns
        join sys.tables on all_columns.object_id = tables.object_id join sys.schemas on
        tables.schema_id = schemas.schema_id join sys.default_constraints on
        all_columns.default_object_id = default_constraints.object_id where schemas.name =
        'dbo' and tables.name = 'host_tokens' and all_columns.name = 'noticed_days') if
        @constraint5 is not null exec('alter table [host_tokens] drop constraint ' +
        @constraint5)`,
      `alter table [host_tokens] drop column [user_id], [service_account_id], [policy_id],
        [replaces], [leaked_at], [noticed_days]`,
    ],
  },
};
