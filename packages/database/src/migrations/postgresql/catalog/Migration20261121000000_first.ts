import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000000_first extends Migration {
  override name = "Migration20261121000000_first";

  override up(): void | Promise<void> {
    this.addSql(`create table "audit_log" ("event_id" bigint not null, "type"
      varchar(64) collate "C" not null, "subject" varchar(512)
      collate "C" not null, "actor" varchar(255) collate "C" not
      null, "token_id" varchar(64) collate "C" null, "address"
      varchar(64) collate "C" null, "request_id" varchar(128)
      collate "C" null, "detail" text null, "at" timestamptz(3)
      not null, primary key ("event_id"));`);

    this.addSql(`create table "blobs" ("id" bigserial primary key, "protocol"
      varchar(16) collate "C" not null, "digest" varchar(135)
      collate "C" not null, "size" bigint not null,
      "storage_key" varchar(255) collate "C" not null, "state"
      varchar(16) collate "C" not null, "touched_at"
      timestamptz(3) not null, "created_at" timestamptz(3) not
      null);`);
    this.addSql(`alter table "blobs" add constraint "blobs_storage_key_unique"
      unique ("storage_key");`);
    this.addSql(`alter table "blobs" add constraint
      "blobs_protocol_digest_unique" unique ("protocol",
      "digest");`);

    this.addSql(`create table "documents" ("document_key" varchar(400) collate
      "C" not null, "group_name" varchar(400) collate "C" not
      null, "etag" text not null, "content_type" text not null,
      "modified_at" timestamptz(3) not null, "identity" bytea
      not null, "gzip" bytea null, "zstd" bytea null, primary
      key ("document_key"));`);
    this.addSql(`create index "documents_group_name_index" on "documents"
      ("group_name");`);

    this.addSql(`create table "document_groups" ("name" varchar(400) collate "C"
      not null, "revision" int not null, primary key ("name"));`);

    this.addSql(`create table "events" ("id" bigserial primary key, "type"
      varchar(64) collate "C" not null, "subject" varchar(512)
      collate "C" not null, "actor" varchar(255) collate "C" not
      null, "token_id" varchar(64) collate "C" null, "address"
      varchar(64) collate "C" null, "request_id" varchar(128)
      collate "C" null, "detail" text null, "at" timestamptz(3)
      not null);`);

    this.addSql(`create table "event_cursors" ("consumer" varchar(64) collate "C"
      not null, "settled_id" bigint not null, primary key
      ("consumer"));`);

    this.addSql(`create table "event_deliveries" ("consumer" varchar(64) collate
      "C" not null, "event_id" bigint not null, primary key
      ("consumer", "event_id"));`);

    this.addSql(`create table "leases" ("name" varchar(255) collate "C" not null,
      "holder" varchar(128) collate "C" not null, "fence" bigint
      not null, "held_until" timestamptz(3) not null, primary
      key ("name"));`);

    this.addSql(`create table "npm_packages" ("id" bigserial primary key, "name"
      varchar(214) collate "C" not null, "revision" int not
      null, "created_at" timestamptz(3) not null, "modified_at"
      timestamptz(3) not null, "readme" text null,
      "readme_filename" text null);`);
    this.addSql(`alter table "npm_packages" add constraint
      "npm_packages_name_unique" unique ("name");`);

    this.addSql(`create table "npm_versions" ("id" bigserial primary key,
      "package_id" bigint not null, "version" varchar(256)
      collate "C" not null, "manifest" text not null,
      "abbreviated" text not null, "integrity" varchar(255)
      collate "C" not null, "shasum" varchar(40) collate "C" not
      null, "file_count" int not null, "unpacked_size" bigint
      not null, "published_at" timestamptz(3) not null,
      "published_by" varchar(255) collate "C" not null,
      "deprecated" text null, "description" text not null,
      "keywords" text not null, "search_text" text not null,
      "downloads" bigint not null, "blob_id" bigint not null);`);
    this.addSql(`create index "npm_versions_published_at_index" on "npm_versions"
      ("published_at");`);
    this.addSql(`create index "npm_versions_blob_id_index" on "npm_versions"
      ("blob_id");`);
    this.addSql(`alter table "npm_versions" add constraint
      "npm_versions_package_id_version_unique" unique
      ("package_id", "version");`);

    this.addSql(`create table "npm_tags" ("package_id" bigint not null, "tag"
      varchar(214) collate "C" not null, "version_id" bigint not
      null, primary key ("package_id", "tag"));`);
    this.addSql(`create index "npm_tags_version_id_index" on "npm_tags"
      ("version_id");`);

    this.addSql(`create table "nuget_packages" ("id" bigserial primary key,
      "lower_id" varchar(128) collate "C" not null, "display_id"
      varchar(128) collate "C" not null, "created_at"
      timestamptz(3) not null, "downloads" bigint not null,
      "newest_stable1" bigint null, "newest_any1" bigint null,
      "newest_stable2" bigint null, "newest_any2" bigint null);`);
    this.addSql(`alter table "nuget_packages" add constraint
      "nuget_packages_lower_id_unique" unique ("lower_id");`);

    this.addSql(`create table "nuget_versions" ("id" bigserial primary key,
      "package_id" bigint not null, "lower_version" varchar(256)
      collate "C" not null, "display_id" varchar(128) collate
      "C" not null, "version" varchar(256) collate "C" not null,
      "full_version" varchar(256) collate "C" not null,
      "is_prerelease" boolean not null, "is_sem_ver2" boolean
      not null, "listed" boolean not null, "published_at"
      timestamptz(3) not null, "downloads" bigint not null,
      "details" text not null, "nuspec" bytea not null, "sha512"
      varchar(88) collate "C" not null, "package_types" text not
      null, "search_text" text not null, "blob_id" bigint not
      null, "seal_plan" bytea null, "seal_fingerprint"
      varchar(64) collate "C" null, "seal_size" bigint null,
      "seal_signed_at" timestamptz(3) null);`);
    this.addSql(`create index "nuget_versions_published_at_index" on
      "nuget_versions" ("published_at");`);
    this.addSql(`create index "nuget_versions_seal_fingerprint_index" on
      "nuget_versions" ("seal_fingerprint");`);
    this.addSql(`create index "nuget_versions_blob_id_index" on "nuget_versions"
      ("blob_id");`);
    this.addSql(`alter table "nuget_versions" add constraint
      "nuget_versions_package_id_lower_version_unique" unique
      ("package_id", "lower_version");`);

    this.addSql(`create table "oci_repositories" ("id" bigserial primary key,
      "name" varchar(255) collate "C" not null, "created_at"
      timestamptz(3) not null, "pulls" bigint not null);`);
    this.addSql(`alter table "oci_repositories" add constraint
      "oci_repositories_name_unique" unique ("name");`);

    this.addSql(`create table "oci_manifests" ("id" bigserial primary key,
      "repository_id" bigint not null, "digest" varchar(135)
      collate "C" not null, "media_type" text not null, "size"
      bigint not null, "bytes" bytea not null, "subject"
      varchar(135) collate "C" null, "artifact_type" text null,
      "annotations" text null, "pushed_at" timestamptz(3) not
      null, "touched_at" timestamptz(3) not null);`);
    this.addSql(`create index "oci_manifests_repository_id_subject_index" on
      "oci_manifests" ("repository_id", "subject");`);
    this.addSql(`alter table "oci_manifests" add constraint
      "oci_manifests_repository_id_digest_unique" unique
      ("repository_id", "digest");`);

    this.addSql(`create table "oci_manifest_edges" ("manifest_id" bigint not
      null, "kind" varchar(16) collate "C" not null, "child"
      varchar(135) collate "C" not null, "repository_id" bigint
      not null, "size" bigint not null, primary key
      ("manifest_id", "kind", "child"));`);
    this.addSql(`create index "oci_manifest_edges_repository_id_child_index" on
      "oci_manifest_edges" ("repository_id", "child");`);

    this.addSql(`create table "oci_repository_blobs" ("repository_id" bigint not
      null, "blob_id" bigint not null, "linked_at"
      timestamptz(3) not null, primary key ("repository_id",
      "blob_id"));`);
    this.addSql(`create index "oci_repository_blobs_blob_id_index" on
      "oci_repository_blobs" ("blob_id");`);

    this.addSql(`create table "oci_tags" ("repository_id" bigint not null, "tag"
      varchar(128) collate "C" not null, "manifest_id" bigint
      not null, "updated_at" timestamptz(3) not null, primary
      key ("repository_id", "tag"));`);
    this.addSql(`create index "oci_tags_updated_at_index" on "oci_tags"
      ("updated_at");`);
    this.addSql(`create index "oci_tags_manifest_id_index" on "oci_tags"
      ("manifest_id");`);

    this.addSql(`create table "oci_uploads" ("id" varchar(64) collate "C" not
      null, "repository" varchar(255) collate "C" not null,
      "owner" varchar(255) collate "C" not null, "received"
      bigint not null, "algorithm" varchar(16) collate "C" null,
      "writer" varchar(128) collate "C" null, "claimed_until"
      timestamptz(3) null, "created_at" timestamptz(3) not null,
      "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "oci_uploads_updated_at_index" on "oci_uploads"
      ("updated_at");`);

    this.addSql(`create table "signing_certificates" ("fingerprint" varchar(64)
      collate "C" not null, "subject" text not null, "issuer"
      text not null, "not_before" timestamptz(3) not null,
      "not_after" timestamptz(3) not null, "first_used_at"
      timestamptz(3) not null, "last_used_at" timestamptz(3) not
      null, "active" boolean not null, "der" bytea not null,
      primary key ("fingerprint"));`);

    this.addSql(`alter table "npm_versions" add constraint
      "npm_versions_package_id_foreign" foreign key
      ("package_id") references "npm_packages" ("id") on delete
      restrict;`);
    this.addSql(`alter table "npm_versions" add constraint
      "npm_versions_blob_id_foreign" foreign key ("blob_id")
      references "blobs" ("id") on delete restrict;`);

    this.addSql(`alter table "npm_tags" add constraint
      "npm_tags_package_id_foreign" foreign key ("package_id")
      references "npm_packages" ("id") on delete restrict;`);
    this.addSql(`alter table "npm_tags" add constraint
      "npm_tags_version_id_foreign" foreign key ("version_id")
      references "npm_versions" ("id") on delete restrict;`);

    this.addSql(`alter table "nuget_versions" add constraint
      "nuget_versions_package_id_foreign" foreign key
      ("package_id") references "nuget_packages" ("id") on
      delete restrict;`);
    this.addSql(`alter table "nuget_versions" add constraint
      "nuget_versions_blob_id_foreign" foreign key ("blob_id")
      references "blobs" ("id") on delete restrict;`);

    this.addSql(`alter table "oci_manifests" add constraint
      "oci_manifests_repository_id_foreign" foreign key
      ("repository_id") references "oci_repositories" ("id") on
      delete restrict;`);

    this.addSql(`alter table "oci_manifest_edges" add constraint
      "oci_manifest_edges_manifest_id_foreign" foreign key
      ("manifest_id") references "oci_manifests" ("id") on
      delete cascade;`);
    this.addSql(`alter table "oci_manifest_edges" add constraint
      "oci_manifest_edges_repository_id_foreign" foreign key
      ("repository_id") references "oci_repositories" ("id") on
      delete restrict;`);

    this.addSql(`alter table "oci_repository_blobs" add constraint
      "oci_repository_blobs_repository_id_foreign" foreign key
      ("repository_id") references "oci_repositories" ("id") on
      update cascade on delete restrict;`);
    this.addSql(`alter table "oci_repository_blobs" add constraint
      "oci_repository_blobs_blob_id_foreign" foreign key
      ("blob_id") references "blobs" ("id") on update cascade on
      delete restrict;`);

    this.addSql(`alter table "oci_tags" add constraint
      "oci_tags_repository_id_foreign" foreign key
      ("repository_id") references "oci_repositories" ("id") on
      delete restrict;`);
    this.addSql(`alter table "oci_tags" add constraint
      "oci_tags_manifest_id_foreign" foreign key ("manifest_id")
      references "oci_manifests" ("id") on delete restrict;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "npm_versions" drop constraint
      "npm_versions_blob_id_foreign";`);
    this.addSql(`alter table "nuget_versions" drop constraint
      "nuget_versions_blob_id_foreign";`);
    this.addSql(`alter table "oci_repository_blobs" drop constraint
      "oci_repository_blobs_blob_id_foreign";`);
    this.addSql(`alter table "npm_versions" drop constraint
      "npm_versions_package_id_foreign";`);
    this.addSql(`alter table "npm_tags" drop constraint
      "npm_tags_package_id_foreign";`);
    this.addSql(`alter table "npm_tags" drop constraint
      "npm_tags_version_id_foreign";`);
    this.addSql(`alter table "nuget_versions" drop constraint
      "nuget_versions_package_id_foreign";`);
    this.addSql(`alter table "oci_manifests" drop constraint
      "oci_manifests_repository_id_foreign";`);
    this.addSql(`alter table "oci_manifest_edges" drop constraint
      "oci_manifest_edges_repository_id_foreign";`);
    this.addSql(`alter table "oci_repository_blobs" drop constraint
      "oci_repository_blobs_repository_id_foreign";`);
    this.addSql(`alter table "oci_tags" drop constraint
      "oci_tags_repository_id_foreign";`);
    this.addSql(`alter table "oci_manifest_edges" drop constraint
      "oci_manifest_edges_manifest_id_foreign";`);
    this.addSql(`alter table "oci_tags" drop constraint
      "oci_tags_manifest_id_foreign";`);

    this.addSql(`drop table if exists "audit_log" cascade;`);
    this.addSql(`drop table if exists "blobs" cascade;`);
    this.addSql(`drop table if exists "documents" cascade;`);
    this.addSql(`drop table if exists "document_groups" cascade;`);
    this.addSql(`drop table if exists "events" cascade;`);
    this.addSql(`drop table if exists "event_cursors" cascade;`);
    this.addSql(`drop table if exists "event_deliveries" cascade;`);
    this.addSql(`drop table if exists "leases" cascade;`);
    this.addSql(`drop table if exists "npm_packages" cascade;`);
    this.addSql(`drop table if exists "npm_versions" cascade;`);
    this.addSql(`drop table if exists "npm_tags" cascade;`);
    this.addSql(`drop table if exists "nuget_packages" cascade;`);
    this.addSql(`drop table if exists "nuget_versions" cascade;`);
    this.addSql(`drop table if exists "oci_repositories" cascade;`);
    this.addSql(`drop table if exists "oci_manifests" cascade;`);
    this.addSql(`drop table if exists "oci_manifest_edges" cascade;`);
    this.addSql(`drop table if exists "oci_repository_blobs" cascade;`);
    this.addSql(`drop table if exists "oci_tags" cascade;`);
    this.addSql(`drop table if exists "oci_uploads" cascade;`);
    this.addSql(`drop table if exists "signing_certificates" cascade;`);
  }
}
