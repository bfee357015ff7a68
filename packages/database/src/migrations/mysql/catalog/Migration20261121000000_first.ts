import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000000_first extends Migration {
  override name = "Migration20261121000000_first";

  override up(): void | Promise<void> {
    this.addSql(`create table \`audit_log\` (\`event_id\` bigint unsigned not null,
      \`type\` varchar(64) collate utf8mb4_bin not null, \`subject\`
      varchar(512) collate utf8mb4_bin not null, \`actor\`
      varchar(255) collate utf8mb4_bin not null, \`token_id\`
      varchar(64) collate utf8mb4_bin null, \`address\`
      varchar(64) collate utf8mb4_bin null, \`request_id\`
      varchar(128) collate utf8mb4_bin null, \`detail\` longtext
      null, \`at\` datetime(3) not null, primary key (\`event_id\`))
      default character set utf8mb4 collate utf8mb4_bin engine =
      InnoDB;`);

    this.addSql(`create table \`blobs\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`protocol\` varchar(16) collate
      utf8mb4_bin not null, \`digest\` varchar(135) collate
      utf8mb4_bin not null, \`size\` bigint not null,
      \`storage_key\` varchar(255) collate utf8mb4_bin not null,
      \`state\` varchar(16) collate utf8mb4_bin not null,
      \`touched_at\` datetime(3) not null, \`created_at\`
      datetime(3) not null) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`blobs\` add unique \`blobs_storage_key_unique\`
      (\`storage_key\`);`);
    this.addSql(`alter table \`blobs\` add unique \`blobs_protocol_digest_unique\`
      (\`protocol\`, \`digest\`);`);

    this.addSql(`create table \`documents\` (\`document_key\` varchar(400) collate
      utf8mb4_bin not null, \`group_name\` varchar(400) collate
      utf8mb4_bin not null, \`etag\` longtext not null,
      \`content_type\` longtext not null, \`modified_at\`
      datetime(3) not null, \`identity\` longblob not null, \`gzip\`
      longblob null, \`zstd\` longblob null, primary key
      (\`document_key\`)) default character set utf8mb4 collate
      utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`documents\` add index \`documents_group_name_index\`
      (\`group_name\`);`);

    this.addSql(`create table \`document_groups\` (\`name\` varchar(400) collate
      utf8mb4_bin not null, \`revision\` int not null, primary key
      (\`name\`)) default character set utf8mb4 collate
      utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`events\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`type\` varchar(64) collate
      utf8mb4_bin not null, \`subject\` varchar(512) collate
      utf8mb4_bin not null, \`actor\` varchar(255) collate
      utf8mb4_bin not null, \`token_id\` varchar(64) collate
      utf8mb4_bin null, \`address\` varchar(64) collate
      utf8mb4_bin null, \`request_id\` varchar(128) collate
      utf8mb4_bin null, \`detail\` longtext null, \`at\` datetime(3)
      not null) default character set utf8mb4 collate
      utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`event_cursors\` (\`consumer\` varchar(64) collate
      utf8mb4_bin not null, \`settled_id\` bigint not null,
      primary key (\`consumer\`)) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`event_deliveries\` (\`consumer\` varchar(64) collate
      utf8mb4_bin not null, \`event_id\` bigint unsigned not null,
      primary key (\`consumer\`, \`event_id\`)) default character
      set utf8mb4 collate utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`leases\` (\`name\` varchar(255) collate utf8mb4_bin
      not null, \`holder\` varchar(128) collate utf8mb4_bin not
      null, \`fence\` bigint not null, \`held_until\` datetime(3)
      not null, primary key (\`name\`)) default character set
      utf8mb4 collate utf8mb4_bin engine = InnoDB;`);

    this.addSql(`create table \`npm_packages\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`name\` varchar(214) collate
      utf8mb4_bin not null, \`revision\` int not null,
      \`created_at\` datetime(3) not null, \`modified_at\`
      datetime(3) not null, \`readme\` longtext null,
      \`readme_filename\` longtext null) default character set
      utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`npm_packages\` add unique \`npm_packages_name_unique\`
      (\`name\`);`);

    this.addSql(`create table \`npm_versions\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`package_id\` bigint unsigned
      not null, \`version\` varchar(256) collate utf8mb4_bin not
      null, \`manifest\` longtext not null, \`abbreviated\` longtext
      not null, \`integrity\` varchar(255) collate utf8mb4_bin not
      null, \`shasum\` varchar(40) collate utf8mb4_bin not null,
      \`file_count\` int not null, \`unpacked_size\` bigint not
      null, \`published_at\` datetime(3) not null, \`published_by\`
      varchar(255) collate utf8mb4_bin not null, \`deprecated\`
      longtext null, \`description\` longtext not null, \`keywords\`
      longtext not null, \`search_text\` longtext not null,
      \`downloads\` bigint not null, \`blob_id\` bigint unsigned not
      null) default character set utf8mb4 collate utf8mb4_bin
      engine = InnoDB;`);
    this.addSql(`alter table \`npm_versions\` add index
      \`npm_versions_package_id_index\` (\`package_id\`);`);
    this.addSql(`alter table \`npm_versions\` add index
      \`npm_versions_published_at_index\` (\`published_at\`);`);
    this.addSql(`alter table \`npm_versions\` add index
      \`npm_versions_blob_id_index\` (\`blob_id\`);`);
    this.addSql(`alter table \`npm_versions\` add unique
      \`npm_versions_package_id_version_unique\` (\`package_id\`,
      \`version\`);`);

    this.addSql(`create table \`npm_tags\` (\`package_id\` bigint unsigned not null,
      \`tag\` varchar(214) collate utf8mb4_bin not null,
      \`version_id\` bigint unsigned not null, primary key
      (\`package_id\`, \`tag\`)) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`npm_tags\` add index \`npm_tags_package_id_index\`
      (\`package_id\`);`);
    this.addSql(`alter table \`npm_tags\` add index \`npm_tags_version_id_index\`
      (\`version_id\`);`);

    this.addSql(`create table \`nuget_packages\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`lower_id\` varchar(128)
      collate utf8mb4_bin not null, \`display_id\` varchar(128)
      collate utf8mb4_bin not null, \`created_at\` datetime(3) not
      null, \`downloads\` bigint not null, \`newest_stable1\` bigint
      null, \`newest_any1\` bigint null, \`newest_stable2\` bigint
      null, \`newest_any2\` bigint null) default character set
      utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`nuget_packages\` add unique
      \`nuget_packages_lower_id_unique\` (\`lower_id\`);`);

    this.addSql(`create table \`nuget_versions\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`package_id\` bigint unsigned
      not null, \`lower_version\` varchar(256) collate utf8mb4_bin
      not null, \`display_id\` varchar(128) collate utf8mb4_bin
      not null, \`version\` varchar(256) collate utf8mb4_bin not
      null, \`full_version\` varchar(256) collate utf8mb4_bin not
      null, \`is_prerelease\` tinyint(1) not null, \`is_sem_ver2\`
      tinyint(1) not null, \`listed\` tinyint(1) not null,
      \`published_at\` datetime(3) not null, \`downloads\` bigint
      not null, \`details\` longtext not null, \`nuspec\` longblob
      not null, \`sha512\` varchar(88) collate utf8mb4_bin not
      null, \`package_types\` longtext not null, \`search_text\`
      longtext not null, \`blob_id\` bigint unsigned not null,
      \`seal_plan\` longblob null, \`seal_fingerprint\` varchar(64)
      collate utf8mb4_bin null, \`seal_size\` bigint null,
      \`seal_signed_at\` datetime(3) null) default character set
      utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`nuget_versions\` add index
      \`nuget_versions_package_id_index\` (\`package_id\`);`);
    this.addSql(`alter table \`nuget_versions\` add index
      \`nuget_versions_published_at_index\` (\`published_at\`);`);
    this.addSql(`alter table \`nuget_versions\` add index
      \`nuget_versions_seal_fingerprint_index\`
      (\`seal_fingerprint\`);`);
    this.addSql(`alter table \`nuget_versions\` add index
      \`nuget_versions_blob_id_index\` (\`blob_id\`);`);
    this.addSql(`alter table \`nuget_versions\` add unique
      \`nuget_versions_package_id_lower_version_unique\`
      (\`package_id\`, \`lower_version\`);`);

    this.addSql(`create table \`oci_repositories\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`name\` varchar(255) collate
      utf8mb4_bin not null, \`created_at\` datetime(3) not null,
      \`pulls\` bigint not null) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`oci_repositories\` add unique
      \`oci_repositories_name_unique\` (\`name\`);`);

    this.addSql(`create table \`oci_manifests\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`repository_id\` bigint
      unsigned not null, \`digest\` varchar(135) collate
      utf8mb4_bin not null, \`media_type\` longtext not null,
      \`size\` bigint not null, \`bytes\` longblob not null,
      \`subject\` varchar(135) collate utf8mb4_bin null,
      \`artifact_type\` longtext null, \`annotations\` longtext
      null, \`pushed_at\` datetime(3) not null, \`touched_at\`
      datetime(3) not null) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`oci_manifests\` add index
      \`oci_manifests_repository_id_index\` (\`repository_id\`);`);
    this.addSql(`alter table \`oci_manifests\` add index
      \`oci_manifests_repository_id_subject_index\`
      (\`repository_id\`, \`subject\`);`);
    this.addSql(`alter table \`oci_manifests\` add unique
      \`oci_manifests_repository_id_digest_unique\`
      (\`repository_id\`, \`digest\`);`);

    this.addSql(`create table \`oci_manifest_edges\` (\`manifest_id\` bigint unsigned
      not null, \`kind\` varchar(16) collate utf8mb4_bin not null,
      \`child\` varchar(135) collate utf8mb4_bin not null,
      \`repository_id\` bigint unsigned not null, \`size\` bigint
      not null, primary key (\`manifest_id\`, \`kind\`, \`child\`))
      default character set utf8mb4 collate utf8mb4_bin engine =
      InnoDB;`);
    this.addSql(`alter table \`oci_manifest_edges\` add index
      \`oci_manifest_edges_manifest_id_index\` (\`manifest_id\`);`);
    this.addSql(`alter table \`oci_manifest_edges\` add index
      \`oci_manifest_edges_repository_id_index\`
      (\`repository_id\`);`);
    this.addSql(`alter table \`oci_manifest_edges\` add index
      \`oci_manifest_edges_repository_id_child_index\`
      (\`repository_id\`, \`child\`);`);

    this.addSql(`create table \`oci_repository_blobs\` (\`repository_id\` bigint
      unsigned not null, \`blob_id\` bigint unsigned not null,
      \`linked_at\` datetime(3) not null, primary key
      (\`repository_id\`, \`blob_id\`)) default character set
      utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`oci_repository_blobs\` add index
      \`oci_repository_blobs_repository_id_index\`
      (\`repository_id\`);`);
    this.addSql(`alter table \`oci_repository_blobs\` add index
      \`oci_repository_blobs_blob_id_index\` (\`blob_id\`);`);

    this.addSql(`create table \`oci_tags\` (\`repository_id\` bigint unsigned not
      null, \`tag\` varchar(128) collate utf8mb4_bin not null,
      \`manifest_id\` bigint unsigned not null, \`updated_at\`
      datetime(3) not null, primary key (\`repository_id\`,
      \`tag\`)) default character set utf8mb4 collate utf8mb4_bin
      engine = InnoDB;`);
    this.addSql(`alter table \`oci_tags\` add index \`oci_tags_repository_id_index\`
      (\`repository_id\`);`);
    this.addSql(`alter table \`oci_tags\` add index \`oci_tags_updated_at_index\`
      (\`updated_at\`);`);
    this.addSql(`alter table \`oci_tags\` add index \`oci_tags_manifest_id_index\`
      (\`manifest_id\`);`);

    this.addSql(`create table \`oci_uploads\` (\`id\` varchar(64) collate utf8mb4_bin
      not null, \`repository\` varchar(255) collate utf8mb4_bin
      not null, \`owner\` varchar(255) collate utf8mb4_bin not
      null, \`received\` bigint not null, \`algorithm\` varchar(16)
      collate utf8mb4_bin null, \`writer\` varchar(128) collate
      utf8mb4_bin null, \`claimed_until\` datetime(3) null,
      \`created_at\` datetime(3) not null, \`updated_at\`
      datetime(3) not null, primary key (\`id\`)) default
      character set utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`oci_uploads\` add index
      \`oci_uploads_updated_at_index\` (\`updated_at\`);`);

    this.addSql(`create table \`signing_certificates\` (\`fingerprint\` varchar(64)
      collate utf8mb4_bin not null, \`subject\` longtext not null,
      \`issuer\` longtext not null, \`not_before\` datetime(3) not
      null, \`not_after\` datetime(3) not null, \`first_used_at\`
      datetime(3) not null, \`last_used_at\` datetime(3) not null,
      \`active\` tinyint(1) not null, \`der\` longblob not null,
      primary key (\`fingerprint\`)) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);

    this.addSql(`alter table \`npm_versions\` add constraint
      \`npm_versions_package_id_foreign\` foreign key
      (\`package_id\`) references \`npm_packages\` (\`id\`) on delete
      restrict;`);
    this.addSql(`alter table \`npm_versions\` add constraint
      \`npm_versions_blob_id_foreign\` foreign key (\`blob_id\`)
      references \`blobs\` (\`id\`) on delete restrict;`);

    this.addSql(`alter table \`npm_tags\` add constraint
      \`npm_tags_package_id_foreign\` foreign key (\`package_id\`)
      references \`npm_packages\` (\`id\`) on delete restrict;`);
    this.addSql(`alter table \`npm_tags\` add constraint
      \`npm_tags_version_id_foreign\` foreign key (\`version_id\`)
      references \`npm_versions\` (\`id\`) on delete restrict;`);

    this.addSql(`alter table \`nuget_versions\` add constraint
      \`nuget_versions_package_id_foreign\` foreign key
      (\`package_id\`) references \`nuget_packages\` (\`id\`) on
      delete restrict;`);
    this.addSql(`alter table \`nuget_versions\` add constraint
      \`nuget_versions_blob_id_foreign\` foreign key (\`blob_id\`)
      references \`blobs\` (\`id\`) on delete restrict;`);

    this.addSql(`alter table \`oci_manifests\` add constraint
      \`oci_manifests_repository_id_foreign\` foreign key
      (\`repository_id\`) references \`oci_repositories\` (\`id\`) on
      delete restrict;`);

    this.addSql(`alter table \`oci_manifest_edges\` add constraint
      \`oci_manifest_edges_manifest_id_foreign\` foreign key
      (\`manifest_id\`) references \`oci_manifests\` (\`id\`) on
      delete cascade;`);
    this.addSql(`alter table \`oci_manifest_edges\` add constraint
      \`oci_manifest_edges_repository_id_foreign\` foreign key
      (\`repository_id\`) references \`oci_repositories\` (\`id\`) on
      delete restrict;`);

    this.addSql(`alter table \`oci_repository_blobs\` add constraint
      \`oci_repository_blobs_repository_id_foreign\` foreign key
      (\`repository_id\`) references \`oci_repositories\` (\`id\`) on
      update cascade on delete restrict;`);
    this.addSql(`alter table \`oci_repository_blobs\` add constraint
      \`oci_repository_blobs_blob_id_foreign\` foreign key
      (\`blob_id\`) references \`blobs\` (\`id\`) on update cascade on
      delete restrict;`);

    this.addSql(`alter table \`oci_tags\` add constraint
      \`oci_tags_repository_id_foreign\` foreign key
      (\`repository_id\`) references \`oci_repositories\` (\`id\`) on
      delete restrict;`);
    this.addSql(`alter table \`oci_tags\` add constraint
      \`oci_tags_manifest_id_foreign\` foreign key (\`manifest_id\`)
      references \`oci_manifests\` (\`id\`) on delete restrict;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`npm_versions\` drop foreign key
      \`npm_versions_blob_id_foreign\`;`);
    this.addSql(`alter table \`nuget_versions\` drop foreign key
      \`nuget_versions_blob_id_foreign\`;`);
    this.addSql(`alter table \`oci_repository_blobs\` drop foreign key
      \`oci_repository_blobs_blob_id_foreign\`;`);
    this.addSql(`alter table \`npm_versions\` drop foreign key
      \`npm_versions_package_id_foreign\`;`);
    this.addSql(`alter table \`npm_tags\` drop foreign key
      \`npm_tags_package_id_foreign\`;`);
    this.addSql(`alter table \`npm_tags\` drop foreign key
      \`npm_tags_version_id_foreign\`;`);
    this.addSql(`alter table \`nuget_versions\` drop foreign key
      \`nuget_versions_package_id_foreign\`;`);
    this.addSql(`alter table \`oci_manifests\` drop foreign key
      \`oci_manifests_repository_id_foreign\`;`);
    this.addSql(`alter table \`oci_manifest_edges\` drop foreign key
      \`oci_manifest_edges_repository_id_foreign\`;`);
    this.addSql(`alter table \`oci_repository_blobs\` drop foreign key
      \`oci_repository_blobs_repository_id_foreign\`;`);
    this.addSql(`alter table \`oci_tags\` drop foreign key
      \`oci_tags_repository_id_foreign\`;`);
    this.addSql(`alter table \`oci_manifest_edges\` drop foreign key
      \`oci_manifest_edges_manifest_id_foreign\`;`);
    this.addSql(`alter table \`oci_tags\` drop foreign key
      \`oci_tags_manifest_id_foreign\`;`);

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
