import { Migration } from "@mikro-orm/migrations";

export class Migration20261123000000_provenance extends Migration {
  override name = "Migration20261123000000_provenance";

  override up(): void | Promise<void> {
    this.addSql(`create table \`nuget_replaced_seals\` (\`id\` integer not null
      primary key autoincrement, \`version_id\` bigint not null,
      \`plan\` blob null, \`fingerprint\` text not null, \`size\`
      bigint not null, \`signed_at\` datetime not null,
      \`replaced_at\` datetime not null, \`sha256\` text null,
      \`sha512\` text null, constraint
      \`nuget_replaced_seals_version_id_foreign\` foreign key
      (\`version_id\`) references \`nuget_versions\` (\`id\`) on
      delete restrict);`);
    this.addSql(`create index \`nuget_replaced_seals_version_id_index\` on
      \`nuget_replaced_seals\` (\`version_id\`);`);

    this.addSql(`alter table \`nuget_versions\` add column \`content_hash\` text
      null;`);
    this.addSql(`alter table \`nuget_versions\` add column \`seal_sha256\` text null;`);
    this.addSql(`alter table \`nuget_versions\` add column \`seal_sha512\` text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`nuget_replaced_seals\`;`);

    this.addSql(`alter table \`nuget_versions\` drop column \`content_hash\`;`);
    this.addSql(`alter table \`nuget_versions\` drop column \`seal_sha256\`;`);
    this.addSql(`alter table \`nuget_versions\` drop column \`seal_sha512\`;`);
  }
}
