import { Migration } from "@mikro-orm/migrations";

export class Migration20261122000000_nuget_complete extends Migration {
  override name = "Migration20261122000000_nuget_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`nuget_advisories\` (\`id\` integer not null primary
      key autoincrement, \`source\` text not null, \`page\` text not
      null, \`advisory_id\` text null, \`lower_id\` text not null,
      \`severity\` integer not null, \`url\` text not null,
      \`versions\` text not null);`);
    this.addSql(`create index \`nuget_advisories_lower_id_index\` on
      \`nuget_advisories\` (\`lower_id\`);`);
    this.addSql(`create index \`nuget_advisories_source_page_index\` on
      \`nuget_advisories\` (\`source\`, \`page\`);`);

    this.addSql(`create table \`nuget_advisory_sources\` (\`name\` text not null
      primary key, \`base_at\` datetime not null, \`updated_at\`
      datetime not null, \`checked_at\` datetime not null, \`state\`
      text null);`);

    this.addSql(`create table \`nuget_catalog_items\` (\`position\` bigint not null
      primary key, \`event_id\` bigint not null, \`type\` text not
      null, \`display_id\` text not null, \`version\` text not null,
      \`commit_id\` text not null, \`commit_at\` datetime not null,
      \`leaf\` text not null);`);
    this.addSql(`create unique index \`nuget_catalog_items_event_id_unique\` on
      \`nuget_catalog_items\` (\`event_id\`);`);
    this.addSql(`create unique index \`nuget_catalog_items_commit_at_unique\` on
      \`nuget_catalog_items\` (\`commit_at\`);`);

    this.addSql(`create table \`nuget_dependencies\` (\`package_id\` bigint not null,
      \`dependency_id\` text not null, primary key (\`package_id\`,
      \`dependency_id\`));`);
    this.addSql(`create index \`nuget_dependencies_dependency_id_index\` on
      \`nuget_dependencies\` (\`dependency_id\`);`);

    this.addSql(`create table \`nuget_frameworks\` (\`version_id\` bigint not null,
      \`framework\` text not null, primary key (\`version_id\`,
      \`framework\`));`);
    this.addSql(`create index \`nuget_frameworks_framework_index\` on
      \`nuget_frameworks\` (\`framework\`);`);

    this.addSql(`create table \`nuget_search_entries\` (\`version_id\` bigint not
      null primary key, \`package_id\` bigint not null, \`id_words\`
      text not null, \`title\` text not null, \`tags\` text not
      null, \`authors\` text not null, \`owners\` text not null,
      \`description\` text not null);`);
    this.addSql(`create index \`nuget_search_entries_package_id_index\` on
      \`nuget_search_entries\` (\`package_id\`);`);

    this.addSql(`create table \`nuget_tombstones\` (\`lower_id\` text not null,
      \`lower_version\` text not null, \`display_id\` text not null,
      \`version\` text not null, \`sha256\` text not null,
      \`deleted_at\` datetime not null, \`deleted_by\` text not
      null, primary key (\`lower_id\`, \`lower_version\`));`);

    this.addSql(`create table \`nuget_symbol_packages\` (\`id\` integer not null
      primary key autoincrement, \`version_id\` bigint not null,
      \`blob_id\` bigint not null, \`uploaded_at\` datetime not
      null, \`uploaded_by\` text not null, constraint
      \`nuget_symbol_packages_version_id_foreign\` foreign key
      (\`version_id\`) references \`nuget_versions\` (\`id\`) on
      delete restrict, constraint
      \`nuget_symbol_packages_blob_id_foreign\` foreign key
      (\`blob_id\`) references \`blobs\` (\`id\`) on delete restrict);`);
    this.addSql(`create index \`nuget_symbol_packages_version_id_index\` on
      \`nuget_symbol_packages\` (\`version_id\`);`);
    this.addSql(`create unique index \`nuget_symbol_packages_version_id_unique\` on
      \`nuget_symbol_packages\` (\`version_id\`);`);
    this.addSql(`create index \`nuget_symbol_packages_blob_id_index\` on
      \`nuget_symbol_packages\` (\`blob_id\`);`);

    this.addSql(`create table \`nuget_symbol_files\` (\`id\` integer not null primary
      key autoincrement, \`symbol_package_id\` bigint not null,
      \`file_name\` text not null, \`symbol_key\` text not null,
      \`checksum\` text not null, \`blob_id\` bigint not null,
      constraint \`nuget_symbol_files_symbol_package_id_foreign\`
      foreign key (\`symbol_package_id\`) references
      \`nuget_symbol_packages\` (\`id\`) on delete restrict,
      constraint \`nuget_symbol_files_blob_id_foreign\` foreign
      key (\`blob_id\`) references \`blobs\` (\`id\`) on delete
      restrict);`);
    this.addSql(`create index \`nuget_symbol_files_symbol_package_id_index\` on
      \`nuget_symbol_files\` (\`symbol_package_id\`);`);
    this.addSql(`create index \`nuget_symbol_files_symbol_key_file_name_index\` on
      \`nuget_symbol_files\` (\`symbol_key\`, \`file_name\`);`);
    this.addSql(`create index \`nuget_symbol_files_blob_id_index\` on
      \`nuget_symbol_files\` (\`blob_id\`);`);

    this.addSql(`alter table \`nuget_packages\` add column \`owners\` text null;`);

    this.addSql(`alter table \`nuget_versions\` add column \`size\` bigint not null
      default '0';`);
    this.addSql(`alter table \`nuget_versions\` add column \`origin\` text not null
      default 'Published';`);
    this.addSql(`alter table \`nuget_versions\` add column \`published_by\` text not
      null default '';`);
    this.addSql(`alter table \`nuget_versions\` add column \`deprecation\` text null;`);
    this.addSql(`alter table \`nuget_versions\` add column \`target_frameworks\` text
      null;`);
    this.addSql(`alter table \`nuget_versions\` add column \`dependency_ids\` text
      null;`);
    this.addSql(`update nuget_versions set size =
      (select b.size from blobs b where b.id = nuget_versions.blob_id);`);
  }

  override down(): void | Promise<void> {
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

    this.addSql(`alter table \`nuget_versions\` drop column \`size\`;`);
    this.addSql(`alter table \`nuget_versions\` drop column \`origin\`;`);
    this.addSql(`alter table \`nuget_versions\` drop column \`published_by\`;`);
    this.addSql(`alter table \`nuget_versions\` drop column \`deprecation\`;`);
    this.addSql(`alter table \`nuget_versions\` drop column \`target_frameworks\`;`);
    this.addSql(`alter table \`nuget_versions\` drop column \`dependency_ids\`;`);
  }
}
