import { Migration } from "@mikro-orm/migrations";

export class Migration20261122020000_drop_unread extends Migration {
  override name = "Migration20261122020000_drop_unread";

  override up(): void | Promise<void> {
    this.addSql(`alter table "nuget_versions" drop column "package_types", drop
      column "search_text";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "nuget_versions" add "package_types" text not null,
      add "search_text" text not null;`);
  }
}
