import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000000_first extends Migration {
  override name = "Migration20261121000000_first";

  override up(): void | Promise<void> {
    this.addSql(`create table "host_tokens" ("id" varchar(36) collate "C" not
      null, "name" text not null, "prefix" varchar(16) collate
      "C" not null, "hash" varchar(64) collate "C" not null,
      "scheme" int not null, "scopes" text not null, "protocols"
      text not null, "patterns" text not null, "networks" text
      not null, "created_at" timestamptz(3) not null,
      "expires_at" timestamptz(3) null, "revoked_at"
      timestamptz(3) null, "last_used_at" timestamptz(3) null,
      "last_used_from" varchar(64) collate "C" null, primary key
      ("id"));`);
    this.addSql(`create index "host_tokens_prefix_index" on "host_tokens"
      ("prefix");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "host_tokens" cascade;`);
  }
}
