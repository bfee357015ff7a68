import { Migration } from "@mikro-orm/migrations";

export class Migration20261123010000_npm_complete extends Migration {
  override name = "Migration20261123010000_npm_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`host_login_sessions\` (\`poll_hash\` text not null
      primary key, \`code\` text not null, \`purpose\` text not
      null, \`subject\` text null, \`address\` text null,
      \`created_at\` datetime not null, \`expires_at\` datetime not
      null, \`granted\` text null, \`denied_at\` datetime null);`);
    this.addSql(`create unique index \`host_login_sessions_code_unique\` on
      \`host_login_sessions\` (\`code\`);`);
    this.addSql(`create index \`host_login_sessions_expires_at_index\` on
      \`host_login_sessions\` (\`expires_at\`);`);

    this.addSql(`alter table \`host_tokens\` add column \`owner\` text null;`);
    this.addSql(`alter table \`host_tokens\` add column \`parent_id\` text null;`);
    this.addSql(`create index \`host_tokens_owner_index\` on \`host_tokens\`
      (\`owner\`);`);
    this.addSql(`create index \`host_tokens_parent_id_index\` on \`host_tokens\`
      (\`parent_id\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`host_login_sessions\`;`);

    this.addSql(`drop index \`host_tokens_owner_index\`;`);
    this.addSql(`drop index \`host_tokens_parent_id_index\`;`);
    this.addSql(`alter table \`host_tokens\` drop column \`owner\`;`);
    this.addSql(`alter table \`host_tokens\` drop column \`parent_id\`;`);
  }
}
