import { Migration } from "@mikro-orm/migrations";

export class Migration20261122000000_nuget_complete extends Migration {
  override name = "Migration20261122000000_nuget_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table "nuget_advisories" ("id" bigserial primary key,
      "source" varchar(64) collate "C" not null, "page"
      varchar(16) collate "C" not null, "advisory_id"
      varchar(128) collate "C" null, "lower_id" varchar(128)
      collate "C" not null, "severity" int not null, "url" text
      not null, "versions" text not null);`);
    this.addSql(`create index "nuget_advisories_lower_id_index" on
      "nuget_advisories" ("lower_id");`);
    this.addSql(`create index "nuget_advisories_source_page_index" on
      "nuget_advisories" ("source", "page");`);

    this.addSql(`create table "nuget_advisory_sources" ("name" varchar(64)
      collate "C" not null, "base_at" timestamptz(3) not null,
      "updated_at" timestamptz(3) not null, "checked_at"
      timestamptz(3) not null, "state" text null, primary key
      ("name"));`);

    this.addSql(`create table "nuget_catalog_items" ("position" bigint not null,
      "event_id" bigint not null, "type" varchar(32) collate "C"
      not null, "display_id" varchar(128) collate "C" not null,
      "version" varchar(256) collate "C" not null, "commit_id"
      varchar(36) collate "C" not null, "commit_at"
      timestamptz(3) not null, "leaf" text not null, primary key
      ("position"));`);
    this.addSql(`alter table "nuget_catalog_items" add constraint
      "nuget_catalog_items_event_id_unique" unique ("event_id");`);
    this.addSql(`alter table "nuget_catalog_items" add constraint
      "nuget_catalog_items_commit_at_unique" unique
      ("commit_at");`);

    this.addSql(`create table "nuget_dependencies" ("package_id" bigint not null,
      "dependency_id" varchar(128) collate "C" not null, primary
      key ("package_id", "dependency_id"));`);
    this.addSql(`create index "nuget_dependencies_dependency_id_index" on
      "nuget_dependencies" ("dependency_id");`);

    this.addSql(`create table "nuget_frameworks" ("version_id" bigint not null,
      "framework" varchar(64) collate "C" not null, primary key
      ("version_id", "framework"));`);
    this.addSql(`create index "nuget_frameworks_framework_index" on
      "nuget_frameworks" ("framework");`);

    this.addSql(`create table "nuget_search_entries" ("version_id" bigint not
      null, "package_id" bigint not null, "id_words" text not
      null, "title" text not null, "tags" text not null,
      "authors" text not null, "owners" text not null,
      "description" text not null, primary key ("version_id"));`);
    this.addSql(`create index "nuget_search_entries_package_id_index" on
      "nuget_search_entries" ("package_id");`);

    this.addSql(`create table "nuget_tombstones" ("lower_id" varchar(128) collate
      "C" not null, "lower_version" varchar(128) collate "C" not
      null, "display_id" varchar(128) collate "C" not null,
      "version" varchar(128) collate "C" not null, "sha256"
      varchar(64) collate "C" not null, "deleted_at"
      timestamptz(3) not null, "deleted_by" varchar(255) collate
      "C" not null, primary key ("lower_id", "lower_version"));`);

    this.addSql(`create table "nuget_symbol_packages" ("id" bigserial primary
      key, "version_id" bigint not null, "blob_id" bigint not
      null, "uploaded_at" timestamptz(3) not null, "uploaded_by"
      text not null);`);
    this.addSql(`alter table "nuget_symbol_packages" add constraint
      "nuget_symbol_packages_version_id_unique" unique
      ("version_id");`);
    this.addSql(`create index "nuget_symbol_packages_blob_id_index" on
      "nuget_symbol_packages" ("blob_id");`);

    this.addSql(`create table "nuget_symbol_files" ("id" bigserial primary key,
      "symbol_package_id" bigint not null, "file_name"
      varchar(255) collate "C" not null, "symbol_key"
      varchar(64) collate "C" not null, "checksum" varchar(64)
      collate "C" not null, "blob_id" bigint not null);`);
    this.addSql(`create index "nuget_symbol_files_symbol_key_file_name_index" on
      "nuget_symbol_files" ("symbol_key", "file_name");`);
    this.addSql(`create index "nuget_symbol_files_blob_id_index" on
      "nuget_symbol_files" ("blob_id");`);

    this.addSql(`alter table "nuget_packages" add "owners" text null;`);

    this.addSql(`alter table "nuget_versions" add "size" bigint not null default
      '0', add "origin" varchar(16) collate "C" not null default
      'Published', add "published_by" varchar(255) collate "C"
      not null default '', add "deprecation" text null, add
      "target_frameworks" text null, add "dependency_ids" text
      null;`);

    this.addSql(`alter table "nuget_symbol_packages" add constraint
      "nuget_symbol_packages_version_id_foreign" foreign key
      ("version_id") references "nuget_versions" ("id") on
      delete restrict;`);
    this.addSql(`alter table "nuget_symbol_packages" add constraint
      "nuget_symbol_packages_blob_id_foreign" foreign key
      ("blob_id") references "blobs" ("id") on delete restrict;`);

    this.addSql(`alter table "nuget_symbol_files" add constraint
      "nuget_symbol_files_symbol_package_id_foreign" foreign key
      ("symbol_package_id") references "nuget_symbol_packages"
      ("id") on delete restrict;`);
    this.addSql(`alter table "nuget_symbol_files" add constraint
      "nuget_symbol_files_blob_id_foreign" foreign key
      ("blob_id") references "blobs" ("id") on delete restrict;`);
    this.addSql(`update nuget_versions set size =
      (select b.size from blobs b where b.id = nuget_versions.blob_id);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "nuget_symbol_files" drop constraint
      "nuget_symbol_files_symbol_package_id_foreign";`);

    this.addSql(`drop table if exists "nuget_advisories" cascade;`);
    this.addSql(`drop table if exists "nuget_advisory_sources" cascade;`);
    this.addSql(`drop table if exists "nuget_catalog_items" cascade;`);
    this.addSql(`drop table if exists "nuget_dependencies" cascade;`);
    this.addSql(`drop table if exists "nuget_frameworks" cascade;`);
    this.addSql(`drop table if exists "nuget_search_entries" cascade;`);
    this.addSql(`drop table if exists "nuget_tombstones" cascade;`);
    this.addSql(`drop table if exists "nuget_symbol_packages" cascade;`);
    this.addSql(`drop table if exists "nuget_symbol_files" cascade;`);

    this.addSql(`alter table "nuget_packages" drop column "owners";`);

    this.addSql(`alter table "nuget_versions" drop column "size", drop column
      "origin", drop column "published_by", drop column
      "deprecation", drop column "target_frameworks", drop
      column "dependency_ids";`);
  }
}
