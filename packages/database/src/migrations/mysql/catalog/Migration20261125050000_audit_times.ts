import { Migration } from "@mikro-orm/migrations";

export class Migration20261125050000_audit_times extends Migration {
  override name = "Migration20261125050000_audit_times";

  override up(): void | Promise<void> {
    this.addSql(`alter table \`audit_log\` add index \`audit_log_at_index\` (\`at\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`audit_log\` drop index \`audit_log_at_index\`;`);
  }
}
