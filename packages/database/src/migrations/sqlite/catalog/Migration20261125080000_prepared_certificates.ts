import { Migration } from "@mikro-orm/migrations";

export class Migration20261125080000_prepared_certificates extends Migration {
  override name = "Migration20261125080000_prepared_certificates";

  override up(): void | Promise<void> {
    this.addSql(`alter table \`signing_certificates\` add column \`listed_at\`
      datetime null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`signing_certificates\` drop column \`listed_at\`;`);
  }
}
