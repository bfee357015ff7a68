import { Migration } from "@mikro-orm/migrations";

export class Migration20261123010000_npm_complete extends Migration {
  override name = "Migration20261123010000_npm_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`host_login_sessions\` (\`poll_hash\` varchar(64)
      collate utf8mb4_bin not null, \`code\` varchar(32) collate
      utf8mb4_bin not null, \`purpose\` varchar(32) collate
      utf8mb4_bin not null, \`subject\` longtext null, \`address\`
      varchar(64) collate utf8mb4_bin null, \`created_at\`
      datetime(3) not null, \`expires_at\` datetime(3) not null,
      \`granted\` longtext null, \`denied_at\` datetime(3) null,
      primary key (\`poll_hash\`)) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`host_login_sessions\` add unique
      \`host_login_sessions_code_unique\` (\`code\`);`);
    this.addSql(`alter table \`host_login_sessions\` add index
      \`host_login_sessions_expires_at_index\` (\`expires_at\`);`);

    this.addSql(`alter table \`host_tokens\` add \`owner\` varchar(255) collate
      utf8mb4_bin null, add \`parent_id\` varchar(36) collate
      utf8mb4_bin null;`);
    this.addSql(`alter table \`host_tokens\` add index \`host_tokens_owner_index\`
      (\`owner\`);`);
    this.addSql(`alter table \`host_tokens\` add index
      \`host_tokens_parent_id_index\` (\`parent_id\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`host_login_sessions\`;`);

    this.addSql(`alter table \`host_tokens\` drop index \`host_tokens_owner_index\`;`);
    this.addSql(`alter table \`host_tokens\` drop index
      \`host_tokens_parent_id_index\`;`);
    this.addSql(`alter table \`host_tokens\` drop column \`owner\`, drop column
      \`parent_id\`;`);
  }
}
