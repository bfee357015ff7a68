import { Migration } from "@mikro-orm/migrations";

export class Migration20261122020000_drop_unread extends Migration {
  override name = "Migration20261122020000_drop_unread";

  override up(): void | Promise<void> {
    this.addSql(`alter table \`nuget_versions\` drop column \`package_types\`;`);
    this.addSql(`alter table \`nuget_versions\` drop column \`search_text\`;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`nuget_versions\` add column \`package_types\` text not
      null;`);
    this.addSql(`alter table \`nuget_versions\` add column \`search_text\` text not
      null;`);
  }
}
