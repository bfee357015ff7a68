import { Migration } from "@mikro-orm/migrations";

export class Migration20261123010000_npm_complete extends Migration {
  override name = "Migration20261123010000_npm_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`npm_advisories\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`source\` varchar(64) collate
      utf8mb4_bin not null, \`advisory_id\` varchar(128) collate
      utf8mb4_bin null, \`name\` varchar(214) collate utf8mb4_bin
      not null, \`severity\` int not null, \`title\` longtext not
      null, \`url\` longtext not null, \`versions\` longtext not
      null, \`cwe\` longtext not null, \`cvss\` longtext null)
      default character set utf8mb4 collate utf8mb4_bin engine =
      InnoDB;`);
    this.addSql(`alter table \`npm_advisories\` add index
      \`npm_advisories_name_index\` (\`name\`);`);
    this.addSql(`alter table \`npm_advisories\` add index
      \`npm_advisories_source_index\` (\`source\`);`);

    this.addSql(`create table \`npm_dependencies\` (\`package_id\` bigint unsigned
      not null, \`dependency_name\` varchar(214) collate
      utf8mb4_bin not null, primary key (\`package_id\`,
      \`dependency_name\`)) default character set utf8mb4 collate
      utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`npm_dependencies\` add index
      \`npm_dependencies_package_id_index\` (\`package_id\`);`);
    this.addSql(`alter table \`npm_dependencies\` add index
      \`npm_dependencies_dependency_name_index\`
      (\`dependency_name\`);`);

    this.addSql(`create table \`npm_removed_names\` (\`name\` varchar(214) collate
      utf8mb4_bin not null, \`removed_at\` datetime(3) not null,
      \`removed_by\` varchar(255) collate utf8mb4_bin not null,
      primary key (\`name\`)) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`npm_signing_keys\` (\`key_id\` varchar(64) collate
      utf8mb4_bin not null, \`public_key\` longtext not null,
      \`sealed_key\` longblob null, \`created_at\` datetime(3) not
      null, \`announced_at\` datetime(3) null, \`expires_at\`
      datetime(3) null, primary key (\`key_id\`)) default
      character set utf8mb4 collate utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`npm_tombstones\` (\`name\` varchar(214) collate
      utf8mb4_bin not null, \`version\` varchar(256) collate
      utf8mb4_bin not null, \`integrity\` varchar(255) collate
      utf8mb4_bin not null, \`published_at\` datetime(3) not null,
      \`removed_at\` datetime(3) not null, \`removed_by\`
      varchar(255) collate utf8mb4_bin not null, primary key
      (\`name\`, \`version\`)) default character set utf8mb4 collate
      utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`npm_attestations\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`version_id\` bigint unsigned
      not null, \`predicate_type\` varchar(255) collate
      utf8mb4_bin not null, \`bundle\` longtext not null,
      \`created_at\` datetime(3) not null) default character set
      utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`npm_attestations\` add index
      \`npm_attestations_version_id_index\` (\`version_id\`);`);
    this.addSql(`alter table \`npm_attestations\` add unique
      \`npm_attestations_version_id_predicate_type_unique\`
      (\`version_id\`, \`predicate_type\`);`);

    this.addSql(`create table \`staged_versions\` (\`id\` varchar(36) collate
      utf8mb4_bin not null, \`protocol\` varchar(16) collate
      utf8mb4_bin not null, \`name\` varchar(255) collate
      utf8mb4_bin not null, \`version\` varchar(256) collate
      utf8mb4_bin not null, \`summary\` longtext not null,
      \`details\` longtext not null, \`actor\` varchar(255) collate
      utf8mb4_bin not null, \`created_at\` datetime(3) not null,
      \`expires_at\` datetime(3) not null, \`blob_id\` bigint
      unsigned not null, primary key (\`id\`)) default character
      set utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`staged_versions\` add index
      \`staged_versions_blob_id_index\` (\`blob_id\`);`);
    this.addSql(`alter table \`staged_versions\` add index
      \`staged_versions_expires_at_index\` (\`expires_at\`);`);
    this.addSql(`alter table \`staged_versions\` add unique
      \`staged_versions_protocol_name_version_unique\`
      (\`protocol\`, \`name\`, \`version\`);`);

    this.addSql(`create table \`trusted_publishers\` (\`id\` varchar(36) collate
      utf8mb4_bin not null, \`protocol\` varchar(16) collate
      utf8mb4_bin not null, \`package_name\` varchar(214) collate
      utf8mb4_bin not null, \`provider\` varchar(32) collate
      utf8mb4_bin not null, \`claims\` longtext not null,
      \`permissions\` longtext not null, \`created_at\` datetime(3)
      not null, \`created_by\` varchar(255) collate utf8mb4_bin
      not null, primary key (\`id\`)) default character set
      utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`trusted_publishers\` add index
      \`trusted_publishers_protocol_package_name_index\`
      (\`protocol\`, \`package_name\`);`);

    this.addSql(`alter table \`npm_packages\` add \`maintainers\` longtext null, add
      \`access\` varchar(16) collate utf8mb4_bin null;`);

    this.addSql(`alter table \`npm_versions\` add \`signatures\` longtext null, add
      \`dependency_names\` longtext null;`);

    this.addSql(`alter table \`npm_dependencies\` add constraint
      \`npm_dependencies_package_id_foreign\` foreign key
      (\`package_id\`) references \`npm_packages\` (\`id\`) on delete
      cascade;`);

    this.addSql(`alter table \`npm_attestations\` add constraint
      \`npm_attestations_version_id_foreign\` foreign key
      (\`version_id\`) references \`npm_versions\` (\`id\`) on delete
      cascade;`);

    this.addSql(`alter table \`staged_versions\` add constraint
      \`staged_versions_blob_id_foreign\` foreign key (\`blob_id\`)
      references \`blobs\` (\`id\`) on delete restrict;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`npm_advisories\`;`);
    this.addSql(`drop table if exists \`npm_dependencies\`;`);
    this.addSql(`drop table if exists \`npm_removed_names\`;`);
    this.addSql(`drop table if exists \`npm_signing_keys\`;`);
    this.addSql(`drop table if exists \`npm_tombstones\`;`);
    this.addSql(`drop table if exists \`npm_attestations\`;`);
    this.addSql(`drop table if exists \`staged_versions\`;`);
    this.addSql(`drop table if exists \`trusted_publishers\`;`);

    this.addSql(`alter table \`npm_packages\` drop column \`maintainers\`, drop
      column \`access\`;`);

    this.addSql(`alter table \`npm_versions\` drop column \`signatures\`, drop column
      \`dependency_names\`;`);
  }
}
