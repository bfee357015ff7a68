import { Migration } from "@mikro-orm/migrations";

export class Migration20261123000000_provenance extends Migration {
  override name = "Migration20261123000000_provenance";

  override up(): void | Promise<void> {
    this.addSql(`create table \`nuget_replaced_seals\` (\`id\` bigint unsigned not
      null auto_increment primary key, \`version_id\` bigint
      unsigned not null, \`plan\` longblob null, \`fingerprint\`
      varchar(64) collate utf8mb4_bin not null, \`size\` bigint
      not null, \`signed_at\` datetime(3) not null, \`replaced_at\`
      datetime(3) not null, \`sha256\` varchar(64) collate
      utf8mb4_bin null, \`sha512\` varchar(88) collate utf8mb4_bin
      null) default character set utf8mb4 collate utf8mb4_bin
      engine = InnoDB;`);
    this.addSql(`alter table \`nuget_replaced_seals\` add index
      \`nuget_replaced_seals_version_id_index\` (\`version_id\`);`);

    this.addSql(`alter table \`nuget_versions\` add \`content_hash\` varchar(88)
      collate utf8mb4_bin null, add \`seal_sha256\` varchar(64)
      collate utf8mb4_bin null, add \`seal_sha512\` varchar(88)
      collate utf8mb4_bin null;`);

    this.addSql(`alter table \`nuget_replaced_seals\` add constraint
      \`nuget_replaced_seals_version_id_foreign\` foreign key
      (\`version_id\`) references \`nuget_versions\` (\`id\`) on
      delete restrict;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`nuget_replaced_seals\`;`);

    this.addSql(`alter table \`nuget_versions\` drop column \`content_hash\`, drop
      column \`seal_sha256\`, drop column \`seal_sha512\`;`);
  }
}
