import { Migration } from "@mikro-orm/migrations";

export class Migration20261123010000_npm_complete extends Migration {
  override name = "Migration20261123010000_npm_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table "host_login_sessions" ("poll_hash" varchar(64)
      collate "C" not null, "code" varchar(32) collate "C" not
      null, "purpose" varchar(32) collate "C" not null,
      "subject" text null, "address" varchar(64) collate "C"
      null, "created_at" timestamptz(3) not null, "expires_at"
      timestamptz(3) not null, "granted" text null, "denied_at"
      timestamptz(3) null, primary key ("poll_hash"));`);
    this.addSql(`alter table "host_login_sessions" add constraint
      "host_login_sessions_code_unique" unique ("code");`);
    this.addSql(`create index "host_login_sessions_expires_at_index" on
      "host_login_sessions" ("expires_at");`);

    this.addSql(`alter table "host_tokens" add "owner" varchar(255) collate "C"
      null, add "parent_id" varchar(36) collate "C" null;`);
    this.addSql(`create index "host_tokens_owner_index" on "host_tokens"
      ("owner");`);
    this.addSql(`create index "host_tokens_parent_id_index" on "host_tokens"
      ("parent_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "host_login_sessions" cascade;`);

    this.addSql(`drop index "host_tokens_owner_index";`);
    this.addSql(`drop index "host_tokens_parent_id_index";`);
    this.addSql(`alter table "host_tokens" drop column "owner", drop column
      "parent_id";`);
  }
}
