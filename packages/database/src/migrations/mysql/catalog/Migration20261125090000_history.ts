import { Migration } from "@mikro-orm/migrations";

export class Migration20261125090000_history extends Migration {
  override name = "Migration20261125090000_history";

  override up(): void | Promise<void> {
    this.addSql(`create table \`history\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`protocol\` varchar(16)
      collate utf8mb4_bin not null, \`name\` varchar(255)
      collate utf8mb4_bin not null, \`kind\` varchar(16) collate
      utf8mb4_bin not null, \`item\` varchar(256) collate
      utf8mb4_bin not null, \`value\` longtext not null,
      \`valid_from\` datetime(3) not null, \`valid_to\`
      datetime(3) not null) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`history\` add unique \`history_item\`
      (\`protocol\`, \`name\`, \`kind\`, \`item\`,
      \`valid_to\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`history\`;`);
  }
}
