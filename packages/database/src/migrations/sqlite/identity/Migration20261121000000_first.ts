import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000000_first extends Migration {
  override name = "Migration20261121000000_first";

  override up(): void | Promise<void> {
    this.addSql(`create table \`host_tokens\` (\`id\` text not null primary key,
      \`name\` text not null, \`prefix\` text not null, \`hash\` text
      not null, \`scheme\` integer not null, \`scopes\` text not
      null, \`protocols\` text not null, \`patterns\` text not null,
      \`networks\` text not null, \`created_at\` datetime not null,
      \`expires_at\` datetime null, \`revoked_at\` datetime null,
      \`last_used_at\` datetime null, \`last_used_from\` text null);`);
    this.addSql(`create index \`host_tokens_prefix_index\` on \`host_tokens\`
      (\`prefix\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`host_tokens\`;`);
  }
}
