import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000000_first extends Migration {
  override name = "Migration20261121000000_first";

  override up(): void | Promise<void> {
    this.addSql(`create table \`audit_log\` (\`event_id\` bigint not null primary
      key, \`type\` text not null, \`subject\` text not null,
      \`actor\` text not null, \`token_id\` text null, \`address\`
      text null, \`request_id\` text null, \`detail\` text null,
      \`at\` datetime not null);`);

    this.addSql(`create table \`blobs\` (\`id\` integer not null primary key
      autoincrement, \`protocol\` text not null, \`digest\` text not
      null, \`size\` bigint not null, \`storage_key\` text not null,
      \`state\` text not null, \`touched_at\` datetime not null,
      \`created_at\` datetime not null);`);
    this.addSql(`create unique index \`blobs_storage_key_unique\` on \`blobs\`
      (\`storage_key\`);`);
    this.addSql(`create unique index \`blobs_protocol_digest_unique\` on \`blobs\`
      (\`protocol\`, \`digest\`);`);

    this.addSql(`create table \`documents\` (\`document_key\` text not null primary
      key, \`group_name\` text not null, \`etag\` text not null,
      \`content_type\` text not null, \`modified_at\` datetime not
      null, \`identity\` blob not null, \`gzip\` blob null, \`zstd\`
      blob null);`);
    this.addSql(`create index \`documents_group_name_index\` on \`documents\`
      (\`group_name\`);`);

    this.addSql(`create table \`document_groups\` (\`name\` text not null primary
      key, \`revision\` integer not null);`);

    this.addSql(`create table \`events\` (\`id\` integer not null primary key
      autoincrement, \`type\` text not null, \`subject\` text not
      null, \`actor\` text not null, \`token_id\` text null,
      \`address\` text null, \`request_id\` text null, \`detail\` text
      null, \`at\` datetime not null);`);

    this.addSql(`create table \`event_cursors\` (\`consumer\` text not null primary
      key, \`settled_id\` bigint not null);`);

    this.addSql(`create table \`event_deliveries\` (\`consumer\` text not null,
      \`event_id\` bigint not null, primary key (\`consumer\`,
      \`event_id\`));`);

    this.addSql(`create table \`leases\` (\`name\` text not null primary key,
      \`holder\` text not null, \`fence\` bigint not null,
      \`held_until\` datetime not null);`);

    this.addSql(`create table \`npm_packages\` (\`id\` integer not null primary key
      autoincrement, \`name\` text not null, \`revision\` integer
      not null, \`created_at\` datetime not null, \`modified_at\`
      datetime not null, \`readme\` text null, \`readme_filename\`
      text null);`);
    this.addSql(`create unique index \`npm_packages_name_unique\` on \`npm_packages\`
      (\`name\`);`);

    this.addSql(`create table \`npm_versions\` (\`id\` integer not null primary key
      autoincrement, \`package_id\` bigint not null, \`version\`
      text not null, \`manifest\` text not null, \`abbreviated\`
      text not null, \`integrity\` text not null, \`shasum\` text
      not null, \`file_count\` integer not null, \`unpacked_size\`
      bigint not null, \`published_at\` datetime not null,
      \`published_by\` text not null, \`deprecated\` text null,
      \`description\` text not null, \`keywords\` text not null,
      \`search_text\` text not null, \`downloads\` bigint not null,
      \`blob_id\` bigint not null, constraint
      \`npm_versions_package_id_foreign\` foreign key
      (\`package_id\`) references \`npm_packages\` (\`id\`) on delete
      restrict, constraint \`npm_versions_blob_id_foreign\`
      foreign key (\`blob_id\`) references \`blobs\` (\`id\`) on
      delete restrict);`);
    this.addSql(`create index \`npm_versions_package_id_index\` on \`npm_versions\`
      (\`package_id\`);`);
    this.addSql(`create index \`npm_versions_published_at_index\` on \`npm_versions\`
      (\`published_at\`);`);
    this.addSql(`create index \`npm_versions_blob_id_index\` on \`npm_versions\`
      (\`blob_id\`);`);
    this.addSql(`create unique index \`npm_versions_package_id_version_unique\` on
      \`npm_versions\` (\`package_id\`, \`version\`);`);

    this.addSql(`create table \`npm_tags\` (\`package_id\` bigint not null, \`tag\`
      text not null, \`version_id\` bigint not null, primary key
      (\`package_id\`, \`tag\`), constraint
      \`npm_tags_package_id_foreign\` foreign key (\`package_id\`)
      references \`npm_packages\` (\`id\`) on delete restrict,
      constraint \`npm_tags_version_id_foreign\` foreign key
      (\`version_id\`) references \`npm_versions\` (\`id\`) on delete
      restrict);`);
    this.addSql(`create index \`npm_tags_package_id_index\` on \`npm_tags\`
      (\`package_id\`);`);
    this.addSql(`create index \`npm_tags_version_id_index\` on \`npm_tags\`
      (\`version_id\`);`);

    this.addSql(`create table \`nuget_packages\` (\`id\` integer not null primary key
      autoincrement, \`lower_id\` text not null, \`display_id\` text
      not null, \`created_at\` datetime not null, \`downloads\`
      bigint not null, \`newest_stable1\` bigint null,
      \`newest_any1\` bigint null, \`newest_stable2\` bigint null,
      \`newest_any2\` bigint null);`);
    this.addSql(`create unique index \`nuget_packages_lower_id_unique\` on
      \`nuget_packages\` (\`lower_id\`);`);

    this.addSql(`create table \`nuget_versions\` (\`id\` integer not null primary key
      autoincrement, \`package_id\` bigint not null,
      \`lower_version\` text not null, \`display_id\` text not null,
      \`version\` text not null, \`full_version\` text not null,
      \`is_prerelease\` integer not null, \`is_sem_ver2\` integer
      not null, \`listed\` integer not null, \`published_at\`
      datetime not null, \`downloads\` bigint not null, \`details\`
      text not null, \`nuspec\` blob not null, \`sha512\` text not
      null, \`package_types\` text not null, \`search_text\` text
      not null, \`blob_id\` bigint not null, \`seal_plan\` blob
      null, \`seal_fingerprint\` text null, \`seal_size\` bigint
      null, \`seal_signed_at\` datetime null, constraint
      \`nuget_versions_package_id_foreign\` foreign key
      (\`package_id\`) references \`nuget_packages\` (\`id\`) on
      delete restrict, constraint
      \`nuget_versions_blob_id_foreign\` foreign key (\`blob_id\`)
      references \`blobs\` (\`id\`) on delete restrict);`);
    this.addSql(`create index \`nuget_versions_package_id_index\` on
      \`nuget_versions\` (\`package_id\`);`);
    this.addSql(`create index \`nuget_versions_published_at_index\` on
      \`nuget_versions\` (\`published_at\`);`);
    this.addSql(`create index \`nuget_versions_seal_fingerprint_index\` on
      \`nuget_versions\` (\`seal_fingerprint\`);`);
    this.addSql(`create index \`nuget_versions_blob_id_index\` on \`nuget_versions\`
      (\`blob_id\`);`);
    this.addSql(`create unique index
      \`nuget_versions_package_id_lower_version_unique\` on
      \`nuget_versions\` (\`package_id\`, \`lower_version\`);`);

    this.addSql(`create table \`oci_repositories\` (\`id\` integer not null primary
      key autoincrement, \`name\` text not null, \`created_at\`
      datetime not null, \`pulls\` bigint not null);`);
    this.addSql(`create unique index \`oci_repositories_name_unique\` on
      \`oci_repositories\` (\`name\`);`);

    this.addSql(`create table \`oci_manifests\` (\`id\` integer not null primary key
      autoincrement, \`repository_id\` bigint not null, \`digest\`
      text not null, \`media_type\` text not null, \`size\` bigint
      not null, \`bytes\` blob not null, \`subject\` text null,
      \`artifact_type\` text null, \`annotations\` text null,
      \`pushed_at\` datetime not null, \`touched_at\` datetime not
      null, constraint \`oci_manifests_repository_id_foreign\`
      foreign key (\`repository_id\`) references
      \`oci_repositories\` (\`id\`) on delete restrict);`);
    this.addSql(`create index \`oci_manifests_repository_id_index\` on
      \`oci_manifests\` (\`repository_id\`);`);
    this.addSql(`create index \`oci_manifests_repository_id_subject_index\` on
      \`oci_manifests\` (\`repository_id\`, \`subject\`);`);
    this.addSql(`create unique index \`oci_manifests_repository_id_digest_unique\`
      on \`oci_manifests\` (\`repository_id\`, \`digest\`);`);

    this.addSql(`create table \`oci_manifest_edges\` (\`manifest_id\` bigint not
      null, \`kind\` text not null, \`child\` text not null,
      \`repository_id\` bigint not null, \`size\` bigint not null,
      primary key (\`manifest_id\`, \`kind\`, \`child\`), constraint
      \`oci_manifest_edges_manifest_id_foreign\` foreign key
      (\`manifest_id\`) references \`oci_manifests\` (\`id\`) on
      delete cascade, constraint
      \`oci_manifest_edges_repository_id_foreign\` foreign key
      (\`repository_id\`) references \`oci_repositories\` (\`id\`) on
      delete restrict);`);
    this.addSql(`create index \`oci_manifest_edges_manifest_id_index\` on
      \`oci_manifest_edges\` (\`manifest_id\`);`);
    this.addSql(`create index \`oci_manifest_edges_repository_id_index\` on
      \`oci_manifest_edges\` (\`repository_id\`);`);
    this.addSql(`create index \`oci_manifest_edges_repository_id_child_index\` on
      \`oci_manifest_edges\` (\`repository_id\`, \`child\`);`);

    this.addSql(`create table \`oci_repository_blobs\` (\`repository_id\` bigint not
      null, \`blob_id\` bigint not null, \`linked_at\` datetime not
      null, primary key (\`repository_id\`, \`blob_id\`), constraint
      \`oci_repository_blobs_repository_id_foreign\` foreign key
      (\`repository_id\`) references \`oci_repositories\` (\`id\`) on
      update cascade on delete restrict, constraint
      \`oci_repository_blobs_blob_id_foreign\` foreign key
      (\`blob_id\`) references \`blobs\` (\`id\`) on update cascade on
      delete restrict);`);
    this.addSql(`create index \`oci_repository_blobs_repository_id_index\` on
      \`oci_repository_blobs\` (\`repository_id\`);`);
    this.addSql(`create index \`oci_repository_blobs_blob_id_index\` on
      \`oci_repository_blobs\` (\`blob_id\`);`);

    this.addSql(`create table \`oci_tags\` (\`repository_id\` bigint not null, \`tag\`
      text not null, \`manifest_id\` bigint not null, \`updated_at\`
      datetime not null, primary key (\`repository_id\`, \`tag\`),
      constraint \`oci_tags_repository_id_foreign\` foreign key
      (\`repository_id\`) references \`oci_repositories\` (\`id\`) on
      delete restrict, constraint \`oci_tags_manifest_id_foreign\`
      foreign key (\`manifest_id\`) references \`oci_manifests\`
      (\`id\`) on delete restrict);`);
    this.addSql(`create index \`oci_tags_repository_id_index\` on \`oci_tags\`
      (\`repository_id\`);`);
    this.addSql(`create index \`oci_tags_updated_at_index\` on \`oci_tags\`
      (\`updated_at\`);`);
    this.addSql(`create index \`oci_tags_manifest_id_index\` on \`oci_tags\`
      (\`manifest_id\`);`);

    this.addSql(`create table \`oci_uploads\` (\`id\` text not null primary key,
      \`repository\` text not null, \`owner\` text not null,
      \`received\` bigint not null, \`algorithm\` text null,
      \`writer\` text null, \`claimed_until\` datetime null,
      \`created_at\` datetime not null, \`updated_at\` datetime not
      null);`);
    this.addSql(`create index \`oci_uploads_updated_at_index\` on \`oci_uploads\`
      (\`updated_at\`);`);

    this.addSql(`create table \`signing_certificates\` (\`fingerprint\` text not null
      primary key, \`subject\` text not null, \`issuer\` text not
      null, \`not_before\` datetime not null, \`not_after\` datetime
      not null, \`first_used_at\` datetime not null,
      \`last_used_at\` datetime not null, \`active\` integer not
      null, \`der\` blob not null);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`audit_log\`;`);
    this.addSql(`drop table if exists \`blobs\`;`);
    this.addSql(`drop table if exists \`documents\`;`);
    this.addSql(`drop table if exists \`document_groups\`;`);
    this.addSql(`drop table if exists \`events\`;`);
    this.addSql(`drop table if exists \`event_cursors\`;`);
    this.addSql(`drop table if exists \`event_deliveries\`;`);
    this.addSql(`drop table if exists \`leases\`;`);
    this.addSql(`drop table if exists \`npm_packages\`;`);
    this.addSql(`drop table if exists \`npm_versions\`;`);
    this.addSql(`drop table if exists \`npm_tags\`;`);
    this.addSql(`drop table if exists \`nuget_packages\`;`);
    this.addSql(`drop table if exists \`nuget_versions\`;`);
    this.addSql(`drop table if exists \`oci_repositories\`;`);
    this.addSql(`drop table if exists \`oci_manifests\`;`);
    this.addSql(`drop table if exists \`oci_manifest_edges\`;`);
    this.addSql(`drop table if exists \`oci_repository_blobs\`;`);
    this.addSql(`drop table if exists \`oci_tags\`;`);
    this.addSql(`drop table if exists \`oci_uploads\`;`);
    this.addSql(`drop table if exists \`signing_certificates\`;`);
  }
}
