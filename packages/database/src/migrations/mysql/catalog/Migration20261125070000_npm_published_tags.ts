import { Migration } from "@mikro-orm/migrations";

export class Migration20261125070000_npm_published_tags extends Migration {
  override name = "Migration20261125070000_npm_published_tags";

  override up(): void | Promise<void> {
    this.addSql(`alter table \`npm_versions\` add \`published_tags\` longtext null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`npm_versions\` drop column \`published_tags\`;`);
  }
}
