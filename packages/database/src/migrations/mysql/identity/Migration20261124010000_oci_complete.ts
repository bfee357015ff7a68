import { Migration } from "@mikro-orm/migrations";

export class Migration20261124010000_oci_complete extends Migration {
  override name = "Migration20261124010000_oci_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`host_refresh_tokens\` (\`hash\` varchar(64) collate
      utf8mb4_bin not null, \`token_id\` varchar(36) collate
      utf8mb4_bin not null, \`client\` varchar(255) collate
      utf8mb4_bin not null, \`created_at\` datetime(3) not null,
      \`expires_at\` datetime(3) not null, \`last_used_at\`
      datetime(3) null, primary key (\`hash\`)) default character
      set utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`host_refresh_tokens\` add index
      \`host_refresh_tokens_token_id_index\` (\`token_id\`);`);
    this.addSql(`alter table \`host_refresh_tokens\` add index
      \`host_refresh_tokens_expires_at_index\` (\`expires_at\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`host_refresh_tokens\`;`);
  }
}
