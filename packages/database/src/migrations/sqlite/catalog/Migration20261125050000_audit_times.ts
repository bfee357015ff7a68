import { Migration } from "@mikro-orm/migrations";

export class Migration20261125050000_audit_times extends Migration {
  override name = "Migration20261125050000_audit_times";

  override up(): void | Promise<void> {
    this.addSql(`create index \`audit_log_at_index\` on \`audit_log\` (\`at\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`audit_log_at_index\`;`);
  }
}
