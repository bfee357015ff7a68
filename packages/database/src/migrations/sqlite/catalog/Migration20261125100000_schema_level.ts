import { Migration } from "@mikro-orm/migrations";

export class Migration20261125100000_schema_level extends Migration {
  override name = "Migration20261125100000_schema_level";

  override up(): void | Promise<void> {
    this.addSql(`create table \`schema_level\` (\`id\` integer not null primary
      key, \`required\` text not null);`);
    this.addSql(`insert into \`schema_level\` values (1, '${this.name}');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`schema_level\`;`);
  }
}
