import { Migration } from "@mikro-orm/migrations";

export class Migration20261125090000_history extends Migration {
  override name = "Migration20261125090000_history";

  override up(): void | Promise<void> {
    this.addSql(`create table \`history\` (\`id\` integer not null primary key
      autoincrement, \`protocol\` text not null, \`name\` text
      not null, \`kind\` text not null, \`item\` text not null,
      \`value\` text not null, \`valid_from\` datetime not null,
      \`valid_to\` datetime not null);`);
    this.addSql(`create unique index \`history_item\` on \`history\`
      (\`protocol\`, \`name\`, \`kind\`, \`item\`,
      \`valid_to\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`history\`;`);
  }
}
