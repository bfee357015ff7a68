import { Migration } from "@mikro-orm/migrations";

export class Migration20261125080000_prepared_certificates extends Migration {
  override name = "Migration20261125080000_prepared_certificates";

  override up(): void | Promise<void> {
    this.addSql(`alter table "signing_certificates" add "listed_at"
      timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "signing_certificates" drop column "listed_at";`);
  }
}
