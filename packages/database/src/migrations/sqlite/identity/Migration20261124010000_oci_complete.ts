import { Migration } from "@mikro-orm/migrations";

export class Migration20261124010000_oci_complete extends Migration {
  override name = "Migration20261124010000_oci_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`host_refresh_tokens\` (\`hash\` text not null primary
      key, \`token_id\` text not null, \`client\` text not null,
      \`created_at\` datetime not null, \`expires_at\` datetime not
      null, \`last_used_at\` datetime null);`);
    this.addSql(`create index \`host_refresh_tokens_token_id_index\` on
      \`host_refresh_tokens\` (\`token_id\`);`);
    this.addSql(`create index \`host_refresh_tokens_expires_at_index\` on
      \`host_refresh_tokens\` (\`expires_at\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`host_refresh_tokens\`;`);
  }
}
