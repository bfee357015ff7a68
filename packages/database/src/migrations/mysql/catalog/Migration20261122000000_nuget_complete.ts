import { Migration } from "@mikro-orm/migrations";

export class Migration20261122000000_nuget_complete extends Migration {
  override name = "Migration20261122000000_nuget_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`nuget_advisories\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`source\` varchar(64) collate
      utf8mb4_bin not null, \`page\` varchar(16) collate
      utf8mb4_bin not null, \`advisory_id\` varchar(128) collate
      utf8mb4_bin null, \`lower_id\` varchar(128) collate
      utf8mb4_bin not null, \`severity\` int not null, \`url\`
      longtext not null, \`versions\` longtext not null) default
      character set utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`nuget_advisories\` add index
      \`nuget_advisories_lower_id_index\` (\`lower_id\`);`);
    this.addSql(`alter table \`nuget_advisories\` add index
      \`nuget_advisories_source_page_index\` (\`source\`, \`page\`);`);

    this.addSql(`create table \`nuget_advisory_sources\` (\`name\` varchar(64)
      collate utf8mb4_bin not null, \`base_at\` datetime(3) not
      null, \`updated_at\` datetime(3) not null, \`checked_at\`
      datetime(3) not null, \`state\` longtext null, primary key
      (\`name\`)) default character set utf8mb4 collate
      utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`nuget_catalog_items\` (\`position\` bigint unsigned
      not null, \`event_id\` bigint not null, \`type\` varchar(32)
      collate utf8mb4_bin not null, \`display_id\` varchar(128)
      collate utf8mb4_bin not null, \`version\` varchar(256)
      collate utf8mb4_bin not null, \`commit_id\` varchar(36)
      collate utf8mb4_bin not null, \`commit_at\` datetime(3) not
      null, \`leaf\` longtext not null, primary key (\`position\`))
      default character set utf8mb4 collate utf8mb4_bin engine =
      InnoDB;`);
    this.addSql(`alter table \`nuget_catalog_items\` add unique
      \`nuget_catalog_items_event_id_unique\` (\`event_id\`);`);
    this.addSql(`alter table \`nuget_catalog_items\` add unique
      \`nuget_catalog_items_commit_at_unique\` (\`commit_at\`);`);

    this.addSql(`create table \`nuget_dependencies\` (\`package_id\` bigint unsigned
      not null, \`dependency_id\` varchar(128) collate utf8mb4_bin
      not null, primary key (\`package_id\`, \`dependency_id\`))
      default character set utf8mb4 collate utf8mb4_bin engine =
      InnoDB;`);
    this.addSql(`alter table \`nuget_dependencies\` add index
      \`nuget_dependencies_dependency_id_index\`
      (\`dependency_id\`);`);

    this.addSql(`create table \`nuget_frameworks\` (\`version_id\` bigint unsigned
      not null, \`framework\` varchar(64) collate utf8mb4_bin not
      null, primary key (\`version_id\`, \`framework\`)) default
      character set utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`nuget_frameworks\` add index
      \`nuget_frameworks_framework_index\` (\`framework\`);`);

    this.addSql(`create table \`nuget_search_entries\` (\`version_id\` bigint
      unsigned not null, \`package_id\` bigint not null,
      \`id_words\` longtext not null, \`title\` longtext not null,
      \`tags\` longtext not null, \`authors\` longtext not null,
      \`owners\` longtext not null, \`description\` longtext not
      null, primary key (\`version_id\`)) default character set
      utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`nuget_search_entries\` add index
      \`nuget_search_entries_package_id_index\` (\`package_id\`);`);

    this.addSql(`create table \`nuget_tombstones\` (\`lower_id\` varchar(128) collate
      utf8mb4_bin not null, \`lower_version\` varchar(128) collate
      utf8mb4_bin not null, \`display_id\` varchar(128) collate
      utf8mb4_bin not null, \`version\` varchar(128) collate
      utf8mb4_bin not null, \`sha256\` varchar(64) collate
      utf8mb4_bin not null, \`deleted_at\` datetime(3) not null,
      \`deleted_by\` varchar(255) collate utf8mb4_bin not null,
      primary key (\`lower_id\`, \`lower_version\`)) default
      character set utf8mb4 collate utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`nuget_symbol_packages\` (\`id\` bigint unsigned not
      null auto_increment primary key, \`version_id\` bigint
      unsigned not null, \`blob_id\` bigint unsigned not null,
      \`uploaded_at\` datetime(3) not null, \`uploaded_by\` longtext
      not null) default character set utf8mb4 collate
      utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`nuget_symbol_packages\` add index
      \`nuget_symbol_packages_version_id_index\` (\`version_id\`);`);
    this.addSql(`alter table \`nuget_symbol_packages\` add unique
      \`nuget_symbol_packages_version_id_unique\` (\`version_id\`);`);
    this.addSql(`alter table \`nuget_symbol_packages\` add index
      \`nuget_symbol_packages_blob_id_index\` (\`blob_id\`);`);

    this.addSql(`create table \`nuget_symbol_files\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`symbol_package_id\` bigint
      unsigned not null, \`file_name\` varchar(255) collate
      utf8mb4_bin not null, \`symbol_key\` varchar(64) collate
      utf8mb4_bin not null, \`checksum\` varchar(64) collate
      utf8mb4_bin not null, \`blob_id\` bigint unsigned not null)
      default character set utf8mb4 collate utf8mb4_bin engine =
      InnoDB;`);
    this.addSql(`alter table \`nuget_symbol_files\` add index
      \`nuget_symbol_files_symbol_package_id_index\`
      (\`symbol_package_id\`);`);
    this.addSql(`alter table \`nuget_symbol_files\` add index
      \`nuget_symbol_files_symbol_key_file_name_index\`
      (\`symbol_key\`, \`file_name\`);`);
    this.addSql(`alter table \`nuget_symbol_files\` add index
      \`nuget_symbol_files_blob_id_index\` (\`blob_id\`);`);

    this.addSql(`alter table \`nuget_packages\` add \`owners\` longtext null;`);

    this.addSql(`alter table \`nuget_versions\` add \`size\` bigint not null default
      '0', add \`origin\` varchar(16) collate utf8mb4_bin not null
      default 'Published', add \`published_by\` varchar(255)
      collate utf8mb4_bin not null default '', add \`deprecation\`
      longtext null, add \`target_frameworks\` longtext null, add
      \`dependency_ids\` longtext null;`);

    this.addSql(`alter table \`nuget_symbol_packages\` add constraint
      \`nuget_symbol_packages_version_id_foreign\` foreign key
      (\`version_id\`) references \`nuget_versions\` (\`id\`) on
      delete restrict;`);
    this.addSql(`alter table \`nuget_symbol_packages\` add constraint
      \`nuget_symbol_packages_blob_id_foreign\` foreign key
      (\`blob_id\`) references \`blobs\` (\`id\`) on delete restrict;`);

    this.addSql(`alter table \`nuget_symbol_files\` add constraint
      \`nuget_symbol_files_symbol_package_id_foreign\` foreign key
      (\`symbol_package_id\`) references \`nuget_symbol_packages\`
      (\`id\`) on delete restrict;`);
    this.addSql(`alter table \`nuget_symbol_files\` add constraint
      \`nuget_symbol_files_blob_id_foreign\` foreign key
      (\`blob_id\`) references \`blobs\` (\`id\`) on delete restrict;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`nuget_symbol_files\` drop foreign key
      \`nuget_symbol_files_symbol_package_id_foreign\`;`);

    this.addSql(`drop table if exists \`nuget_advisories\`;`);
    this.addSql(`drop table if exists \`nuget_advisory_sources\`;`);
    this.addSql(`drop table if exists \`nuget_catalog_items\`;`);
    this.addSql(`drop table if exists \`nuget_dependencies\`;`);
    this.addSql(`drop table if exists \`nuget_frameworks\`;`);
    this.addSql(`drop table if exists \`nuget_search_entries\`;`);
    this.addSql(`drop table if exists \`nuget_tombstones\`;`);
    this.addSql(`drop table if exists \`nuget_symbol_packages\`;`);
    this.addSql(`drop table if exists \`nuget_symbol_files\`;`);

    this.addSql(`alter table \`nuget_packages\` drop column \`owners\`;`);

    this.addSql(`alter table \`nuget_versions\` drop column \`size\`, drop column
      \`origin\`, drop column \`published_by\`, drop column
      \`deprecation\`, drop column \`target_frameworks\`, drop
      column \`dependency_ids\`;`);
  }
}
