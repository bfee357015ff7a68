import { Migration } from "@mikro-orm/migrations";

export class Migration20261123010000_npm_complete extends Migration {
  override name = "Migration20261123010000_npm_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table "npm_advisories" ("id" bigserial primary key,
      "source" varchar(64) collate "C" not null, "advisory_id"
      varchar(128) collate "C" null, "name" varchar(214) collate
      "C" not null, "severity" int not null, "title" text not
      null, "url" text not null, "versions" text not null, "cwe"
      text not null, "cvss" text null);`);
    this.addSql(`create index "npm_advisories_name_index" on "npm_advisories"
      ("name");`);
    this.addSql(`create index "npm_advisories_source_index" on "npm_advisories"
      ("source");`);

    this.addSql(`create table "npm_dependencies" ("package_id" bigint not null,
      "dependency_name" varchar(214) collate "C" not null,
      primary key ("package_id", "dependency_name"));`);
    this.addSql(`create index "npm_dependencies_dependency_name_index" on
      "npm_dependencies" ("dependency_name");`);

    this.addSql(`create table "npm_removed_names" ("name" varchar(214) collate
      "C" not null, "removed_at" timestamptz(3) not null,
      "removed_by" varchar(255) collate "C" not null, primary
      key ("name"));`);

    this.addSql(`create table "npm_signing_keys" ("key_id" varchar(64) collate
      "C" not null, "public_key" text not null, "sealed_key"
      bytea null, "created_at" timestamptz(3) not null,
      "announced_at" timestamptz(3) null, "expires_at"
      timestamptz(3) null, primary key ("key_id"));`);

    this.addSql(`create table "npm_tombstones" ("name" varchar(214) collate "C"
      not null, "version" varchar(256) collate "C" not null,
      "integrity" varchar(255) collate "C" not null,
      "published_at" timestamptz(3) not null, "removed_at"
      timestamptz(3) not null, "removed_by" varchar(255) collate
      "C" not null, primary key ("name", "version"));`);

    this.addSql(`create table "npm_attestations" ("id" bigserial primary key,
      "version_id" bigint not null, "predicate_type"
      varchar(255) collate "C" not null, "bundle" text not null,
      "created_at" timestamptz(3) not null);`);
    this.addSql(`alter table "npm_attestations" add constraint
      "npm_attestations_version_id_predicate_type_unique" unique
      ("version_id", "predicate_type");`);

    this.addSql(`create table "staged_versions" ("id" varchar(36) collate "C" not
      null, "protocol" varchar(16) collate "C" not null, "name"
      varchar(255) collate "C" not null, "version" varchar(256)
      collate "C" not null, "summary" text not null, "details"
      text not null, "actor" varchar(255) collate "C" not null,
      "created_at" timestamptz(3) not null, "expires_at"
      timestamptz(3) not null, "blob_id" bigint not null,
      primary key ("id"));`);
    this.addSql(`create index "staged_versions_blob_id_index" on
      "staged_versions" ("blob_id");`);
    this.addSql(`create index "staged_versions_expires_at_index" on
      "staged_versions" ("expires_at");`);
    this.addSql(`alter table "staged_versions" add constraint
      "staged_versions_protocol_name_version_unique" unique
      ("protocol", "name", "version");`);

    this.addSql(`create table "trusted_publishers" ("id" varchar(36) collate "C"
      not null, "protocol" varchar(16) collate "C" not null,
      "package_name" varchar(214) collate "C" not null,
      "provider" varchar(32) collate "C" not null, "claims" text
      not null, "permissions" text not null, "created_at"
      timestamptz(3) not null, "created_by" varchar(255) collate
      "C" not null, primary key ("id"));`);
    this.addSql(`create index "trusted_publishers_protocol_package_name_index" on
      "trusted_publishers" ("protocol", "package_name");`);

    this.addSql(`alter table "npm_packages" add "maintainers" text null, add
      "access" varchar(16) collate "C" null;`);

    this.addSql(`alter table "npm_versions" add "signatures" text null, add
      "dependency_names" text null;`);

    this.addSql(`alter table "npm_dependencies" add constraint
      "npm_dependencies_package_id_foreign" foreign key
      ("package_id") references "npm_packages" ("id") on delete
      cascade;`);

    this.addSql(`alter table "npm_attestations" add constraint
      "npm_attestations_version_id_foreign" foreign key
      ("version_id") references "npm_versions" ("id") on delete
      cascade;`);

    this.addSql(`alter table "staged_versions" add constraint
      "staged_versions_blob_id_foreign" foreign key ("blob_id")
      references "blobs" ("id") on delete restrict;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "npm_advisories" cascade;`);
    this.addSql(`drop table if exists "npm_dependencies" cascade;`);
    this.addSql(`drop table if exists "npm_removed_names" cascade;`);
    this.addSql(`drop table if exists "npm_signing_keys" cascade;`);
    this.addSql(`drop table if exists "npm_tombstones" cascade;`);
    this.addSql(`drop table if exists "npm_attestations" cascade;`);
    this.addSql(`drop table if exists "staged_versions" cascade;`);
    this.addSql(`drop table if exists "trusted_publishers" cascade;`);

    this.addSql(`alter table "npm_packages" drop column "maintainers", drop
      column "access";`);

    this.addSql(`alter table "npm_versions" drop column "signatures", drop column
      "dependency_names";`);
  }
}
