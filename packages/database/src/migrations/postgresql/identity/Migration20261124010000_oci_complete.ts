import { Migration } from "@mikro-orm/migrations";

export class Migration20261124010000_oci_complete extends Migration {
  override name = "Migration20261124010000_oci_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table "host_refresh_tokens" ("hash" varchar(64) collate
      "C" not null, "token_id" varchar(36) collate "C" not null,
      "client" varchar(255) collate "C" not null, "created_at"
      timestamptz(3) not null, "expires_at" timestamptz(3) not
      null, "last_used_at" timestamptz(3) null, primary key
      ("hash"));`);
    this.addSql(`create index "host_refresh_tokens_token_id_index" on
      "host_refresh_tokens" ("token_id");`);
    this.addSql(`create index "host_refresh_tokens_expires_at_index" on
      "host_refresh_tokens" ("expires_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "host_refresh_tokens" cascade;`);
  }
}
