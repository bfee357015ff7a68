import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000000_first extends Migration {
  override name = "Migration20261121000000_first";

  override up(): void | Promise<void> {
    this.addSql(`create table \`host_tokens\` (\`id\` varchar(36) collate utf8mb4_bin
      not null, \`name\` longtext not null, \`prefix\` varchar(16)
      collate utf8mb4_bin not null, \`hash\` varchar(64) collate
      utf8mb4_bin not null, \`scheme\` int not null, \`scopes\`
      longtext not null, \`protocols\` longtext not null,
      \`patterns\` longtext not null, \`networks\` longtext not
      null, \`created_at\` datetime(3) not null, \`expires_at\`
      datetime(3) null, \`revoked_at\` datetime(3) null,
      \`last_used_at\` datetime(3) null, \`last_used_from\`
      varchar(64) collate utf8mb4_bin null, primary key (\`id\`))
      default character set utf8mb4 collate utf8mb4_bin engine =
      InnoDB;`);
    this.addSql(`alter table \`host_tokens\` add index \`host_tokens_prefix_index\`
      (\`prefix\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`host_tokens\`;`);
  }
}
