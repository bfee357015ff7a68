import { Migration } from "@mikro-orm/migrations";

export class Migration20261125090000_history extends Migration {
  override name = "Migration20261125090000_history";

  override up(): void | Promise<void> {
    this.addSql(`create table "history" ("id" bigserial primary key, "protocol"
      varchar(16) collate "C" not null, "name" varchar(255)
      collate "C" not null, "kind" varchar(16) collate "C" not
      null, "item" varchar(256) collate "C" not null, "value"
      text not null, "valid_from" timestamptz(3) not null,
      "valid_to" timestamptz(3) not null);`);
    this.addSql(`alter table "history" add constraint "history_item" unique
      ("protocol", "name", "kind", "item", "valid_to");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "history";`);
  }
}
