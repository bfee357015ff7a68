import { Migration } from "@mikro-orm/migrations";

export class Migration20261123010000_npm_complete extends Migration {
  override name = "Migration20261123010000_npm_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`npm_advisories\` (\`id\` integer not null primary key
      autoincrement, \`source\` text not null, \`advisory_id\` text
      null, \`name\` text not null, \`severity\` integer not null,
      \`title\` text not null, \`url\` text not null, \`versions\`
      text not null, \`cwe\` text not null, \`cvss\` text null);`);
    this.addSql(`create index \`npm_advisories_name_index\` on \`npm_advisories\`
      (\`name\`);`);
    this.addSql(`create index \`npm_advisories_source_index\` on \`npm_advisories\`
      (\`source\`);`);

    this.addSql(`create table \`npm_dependencies\` (\`package_id\` bigint not null,
      \`dependency_name\` text not null, primary key
      (\`package_id\`, \`dependency_name\`), constraint
      \`npm_dependencies_package_id_foreign\` foreign key
      (\`package_id\`) references \`npm_packages\` (\`id\`) on delete
      cascade);`);
    this.addSql(`create index \`npm_dependencies_package_id_index\` on
      \`npm_dependencies\` (\`package_id\`);`);
    this.addSql(`create index \`npm_dependencies_dependency_name_index\` on
      \`npm_dependencies\` (\`dependency_name\`);`);

    this.addSql(`create table \`npm_removed_names\` (\`name\` text not null primary
      key, \`removed_at\` datetime not null, \`removed_by\` text not
      null);`);

    this.addSql(`create table \`npm_signing_keys\` (\`key_id\` text not null primary
      key, \`public_key\` text not null, \`sealed_key\` blob null,
      \`created_at\` datetime not null, \`announced_at\` datetime
      null, \`expires_at\` datetime null);`);

    this.addSql(`create table \`npm_tombstones\` (\`name\` text not null, \`version\`
      text not null, \`integrity\` text not null, \`published_at\`
      datetime not null, \`removed_at\` datetime not null,
      \`removed_by\` text not null, primary key (\`name\`,
      \`version\`));`);

    this.addSql(`create table \`npm_attestations\` (\`id\` integer not null primary
      key autoincrement, \`version_id\` bigint not null,
      \`predicate_type\` text not null, \`bundle\` text not null,
      \`created_at\` datetime not null, constraint
      \`npm_attestations_version_id_foreign\` foreign key
      (\`version_id\`) references \`npm_versions\` (\`id\`) on delete
      cascade);`);
    this.addSql(`create index \`npm_attestations_version_id_index\` on
      \`npm_attestations\` (\`version_id\`);`);
    this.addSql(`create unique index
      \`npm_attestations_version_id_predicate_type_unique\` on
      \`npm_attestations\` (\`version_id\`, \`predicate_type\`);`);

    this.addSql(`create table \`staged_versions\` (\`id\` text not null primary key,
      \`protocol\` text not null, \`name\` text not null, \`version\`
      text not null, \`summary\` text not null, \`details\` text not
      null, \`actor\` text not null, \`created_at\` datetime not
      null, \`expires_at\` datetime not null, \`blob_id\` bigint not
      null, constraint \`staged_versions_blob_id_foreign\` foreign
      key (\`blob_id\`) references \`blobs\` (\`id\`) on delete
      restrict);`);
    this.addSql(`create index \`staged_versions_blob_id_index\` on
      \`staged_versions\` (\`blob_id\`);`);
    this.addSql(`create index \`staged_versions_expires_at_index\` on
      \`staged_versions\` (\`expires_at\`);`);
    this.addSql(`create unique index
      \`staged_versions_protocol_name_version_unique\` on
      \`staged_versions\` (\`protocol\`, \`name\`, \`version\`);`);

    this.addSql(`create table \`trusted_publishers\` (\`id\` text not null primary
      key, \`protocol\` text not null, \`package_name\` text not
      null, \`provider\` text not null, \`claims\` text not null,
      \`permissions\` text not null, \`created_at\` datetime not
      null, \`created_by\` text not null);`);
    this.addSql(`create index \`trusted_publishers_protocol_package_name_index\` on
      \`trusted_publishers\` (\`protocol\`, \`package_name\`);`);

    this.addSql(`alter table \`npm_packages\` add column \`maintainers\` text null;`);
    this.addSql(`alter table \`npm_packages\` add column \`access\` text null;`);

    this.addSql(`alter table \`npm_versions\` add column \`signatures\` text null;`);
    this.addSql(`alter table \`npm_versions\` add column \`dependency_names\` text
      null;`);
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

    this.addSql(`alter table \`npm_packages\` drop column \`maintainers\`;`);
    this.addSql(`alter table \`npm_packages\` drop column \`access\`;`);

    this.addSql(`alter table \`npm_versions\` drop column \`signatures\`;`);
    this.addSql(`alter table \`npm_versions\` drop column \`dependency_names\`;`);
  }
}
