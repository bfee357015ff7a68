import { collated } from "../sql-migration.ts";
import type { SqlMigration } from "../sql-migration.ts";

export const Migration20261125120000_first: SqlMigration = {
  name: "Migration20261125120000_first",
  statements: [
    `create table [host_tokens] ([id] nvarchar(36) not null, [name] nvarchar(max) not null,
      [owner] nvarchar(255) null, [parent_id] nvarchar(36) null, [prefix] nvarchar(16) not
      null, [hash] nvarchar(64) not null, [scheme] int not null, [scopes] nvarchar(max)
      not null, [protocols] nvarchar(max) not null, [patterns] nvarchar(max) not null,
      [networks] nvarchar(max) not null, [created_at] datetime2(3) not null, [expires_at]
      datetime2(3) null, [revoked_at] datetime2(3) null, [last_used_at] datetime2(3) null,
      [last_used_from] nvarchar(64) null, constraint [host_tokens_pkey] primary key
      ([id]))`,
    `create index [host_tokens_owner_index] on [host_tokens] ([owner])`,
    `create index [host_tokens_parent_id_index] on [host_tokens] ([parent_id])`,
    `create index [host_tokens_prefix_index] on [host_tokens] ([prefix])`,
    `create table [host_login_sessions] ([poll_hash] nvarchar(64) not null, [code] nvarchar(32)
      not null, [purpose] nvarchar(32) not null, [subject] nvarchar(max) null, [address]
      nvarchar(64) null, [created_at] datetime2(3) not null, [expires_at] datetime2(3) not
      null, [granted] nvarchar(max) null, [denied_at] datetime2(3) null, constraint
      [host_login_sessions_pkey] primary key ([poll_hash]))`,
    `create unique index [host_login_sessions_code_unique] on [host_login_sessions] ([code])`,
    `create index [host_login_sessions_expires_at_index] on [host_login_sessions]
      ([expires_at])`,
    `create table [host_refresh_tokens] ([hash] nvarchar(64) not null, [token_id] nvarchar(36)
      not null, [client] nvarchar(255) not null, [created_at] datetime2(3) not null,
      [expires_at] datetime2(3) not null, [last_used_at] datetime2(3) null, constraint
      [host_refresh_tokens_pkey] primary key ([hash]))`,
    `create index [host_refresh_tokens_token_id_index] on [host_refresh_tokens] ([token_id])`,
    `create index [host_refresh_tokens_expires_at_index] on [host_refresh_tokens]
      ([expires_at])`,
  ].map(collated),
};
