import { Migration } from "@mikro-orm/migrations";

export class Migration20261125100000_schema_level extends Migration {
  override name = "Migration20261125100000_schema_level";

  override up(): void | Promise<void> {
    this.addSql(`create table \`schema_level\` (\`id\` int unsigned not null,
      \`required\` varchar(128) collate utf8mb4_bin not null,
      primary key (\`id\`)) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`insert into \`schema_level\` values (1, '${this.name}');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`schema_level\`;`);
  }
}
