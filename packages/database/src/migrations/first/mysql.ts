// Generated: see create-migrations.ts.

export const CATALOG: readonly string[] = [
  `create table "audit_log" ("event_id" bigint unsigned not null, "type" varchar(64) not
    null, "subject" varchar(512) not null, "actor" varchar(255) not null, "token_id"
    varchar(64) null, "address" varchar(64) null, "request_id" varchar(128) null, "detail"
    longtext null, "at" datetime(3) not null, primary key ("event_id"))`,
  'alter table "audit_log" add index "audit_log_at_index" ("at")',
  `create table "blobs" ("id" bigint unsigned not null auto_increment primary key, "protocol"
    varchar(16) not null, "digest" varchar(135) not null, "size" bigint not null,
    "storage_key" varchar(255) not null, "state" varchar(16) not null, "touched_at"
    datetime(3) not null, "created_at" datetime(3) not null, "verified_at" datetime(3)
    null, "damaged_at" datetime(3) null)`,
  'alter table "blobs" add unique "blobs_storage_key_unique" ("storage_key")',
  `alter table "blobs" add index "blobs_protocol_state_touched_at_index" ("protocol",
    "state", "touched_at")`,
  `alter table "blobs" add index "blobs_protocol_verified_at_index" ("protocol",
    "verified_at")`,
  'alter table "blobs" add unique "blobs_protocol_digest_unique" ("protocol", "digest")',
  `create table "blob_contents" ("blob_id" bigint unsigned not null, "bytes" longblob not
    null, primary key ("blob_id"))`,
  `create table "completed_manifests" ("place" varchar(64) not null, "digest" varchar(135)
    not null, "completed_at" datetime(3) not null, primary key ("place", "digest"))`,
  `create table "documents" ("document_key" varchar(400) not null, "group_name" varchar(400)
    not null, "etag" longtext not null, "content_type" longtext not null, "modified_at"
    datetime(3) not null, "identity" longblob not null, "gzip" longblob null, "zstd"
    longblob null, primary key ("document_key"))`,
  'alter table "documents" add index "documents_group_name_index" ("group_name")',
  `create table "document_groups" ("name" varchar(400) not null, "revision" int not null,
    primary key ("name"))`,
  `create table "events" ("id" bigint unsigned not null auto_increment primary key, "type"
    varchar(64) not null, "subject" varchar(512) not null, "actor" varchar(255) not null,
    "token_id" varchar(64) null, "address" varchar(64) null, "request_id" varchar(128)
    null, "detail" longtext null, "at" datetime(3) not null)`,
  `create table "event_cursors" ("consumer" varchar(64) not null, "settled_id" bigint not
    null, primary key ("consumer"))`,
  `create table "event_deliveries" ("consumer" varchar(64) not null, "event_id" bigint
    unsigned not null, primary key ("consumer", "event_id"))`,
  `create table "first_seen_versions" ("version_key" varchar(64) not null, "seen_at"
    datetime(3) not null, primary key ("version_key"))`,
  `create table "held_contents" ("id" bigint unsigned not null auto_increment primary key,
    "release_id" varchar(36) not null, "protocol" varchar(16) not null, "name"
    varchar(255) not null, "item" varchar(256) not null, "content" longtext not null,
    "blob_id" bigint unsigned not null)`,
  'alter table "held_contents" add index "held_contents_blob_id_index" ("blob_id")',
  'alter table "held_contents" add index "held_contents_release_id_index" ("release_id")',
  'alter table "held_contents" add index "held_contents_item" ("protocol", "name", "item")',
  `create table "history" ("id" bigint unsigned not null auto_increment primary key,
    "protocol" varchar(16) not null, "name" varchar(255) not null, "kind" varchar(16) not
    null, "item" varchar(256) not null, "value" longtext not null, "valid_from"
    datetime(3) not null, "valid_to" datetime(3) not null)`,
  `alter table "history" add unique "history_item" ("protocol", "name", "kind", "item",
    "valid_to")`,
  `create table "kept_contents" ("id" bigint unsigned not null auto_increment primary key,
    "protocol" varchar(16) not null, "name" varchar(255) not null, "item" varchar(256) not
    null, "value" longtext not null, "content" longtext not null, "lost_at" datetime(3)
    not null, "blob_id" bigint unsigned not null)`,
  'alter table "kept_contents" add index "kept_contents_blob_id_index" ("blob_id")',
  'alter table "kept_contents" add index "kept_contents_lost_at_index" ("lost_at")',
  'alter table "kept_contents" add index "kept_contents_item" ("protocol", "name", "item")',
  `create table "leases" ("name" varchar(255) not null, "holder" varchar(128) not null,
    "fence" bigint not null, "held_until" datetime(3) not null, primary key ("name"))`,
  `create table "lent_keys" ("release_id" varchar(36) not null, "target" varchar(64) not
    null, "name" varchar(255) not null, "sealed" longblob not null, "expires_at"
    datetime(3) not null, primary key ("release_id", "target", "name"))`,
  `create table "mails" ("id" bigint unsigned not null auto_increment primary key, "mail_key"
    varchar(64) not null, "template" varchar(32) not null, "recipient" longtext not null,
    "subject" longtext not null, "body" longtext not null, "state" varchar(16) not null,
    "attempts" bigint not null, "next_at" datetime(3) null, "error" longtext null,
    "created_at" datetime(3) not null, "done_at" datetime(3) null)`,
  'alter table "mails" add index "mails_state_next_at_index" ("state", "next_at")',
  'alter table "mails" add unique "mails_mail_key_unique" ("mail_key")',
  `create table "name_origins" ("protocol" varchar(16) not null, "name" varchar(255) not
    null, "origin" varchar(16) not null, "source" varchar(64) null, "since" datetime(3)
    not null, primary key ("protocol", "name"))`,
  `create table "name_settings" ("protocol" varchar(16) not null, "name_key" varchar(255) not
    null, "visibility" varchar(16) null, "trusted_only" tinyint(1) not null, "changed_at"
    datetime(3) not null, primary key ("protocol", "name_key"))`,
  `create table "npm_advisories" ("id" bigint unsigned not null auto_increment primary key,
    "source" varchar(64) not null, "advisory_id" varchar(128) null, "name" varchar(214)
    not null, "severity" int not null, "title" longtext not null, "url" longtext not null,
    "versions" longtext not null, "cwe" longtext not null, "cvss" longtext null)`,
  'alter table "npm_advisories" add index "npm_advisories_name_index" ("name")',
  'alter table "npm_advisories" add index "npm_advisories_source_index" ("source")',
  `create table "npm_packages" ("id" bigint unsigned not null auto_increment primary key,
    "name" varchar(214) not null, "revision" int not null, "created_at" datetime(3) not
    null, "modified_at" datetime(3) not null, "readme" longtext null, "readme_filename"
    longtext null, "maintainers" longtext not null, "access" varchar(16) null)`,
  'alter table "npm_packages" add unique "npm_packages_name_unique" ("name")',
  `create table "npm_dependencies" ("package_id" bigint unsigned not null, "dependency_name"
    varchar(214) not null, primary key ("package_id", "dependency_name"))`,
  `alter table "npm_dependencies" add index "npm_dependencies_package_id_index"
    ("package_id")`,
  `alter table "npm_dependencies" add index "npm_dependencies_dependency_name_index"
    ("dependency_name")`,
  `create table "npm_removed_names" ("name" varchar(214) not null, "removed_at" datetime(3)
    not null, "removed_by" varchar(255) not null, primary key ("name"))`,
  `create table "npm_signing_keys" ("key_id" varchar(64) not null, "public_key" longtext not
    null, "sealed_key" longblob null, "created_at" datetime(3) not null, "announced_at"
    datetime(3) null, "expires_at" datetime(3) null, primary key ("key_id"))`,
  `create table "npm_tombstones" ("name" varchar(214) not null, "version" varchar(256) not
    null, "integrity" varchar(255) not null, "published_at" datetime(3) not null,
    "removed_at" datetime(3) not null, "removed_by" varchar(255) not null, primary key
    ("name", "version"))`,
  `create table "npm_versions" ("id" bigint unsigned not null auto_increment primary key,
    "package_id" bigint unsigned not null, "version" varchar(256) not null, "manifest"
    longtext not null, "abbreviated" longtext not null, "integrity" varchar(255) not null,
    "shasum" varchar(40) not null, "file_count" int not null, "unpacked_size" bigint not
    null, "published_at" datetime(3) not null, "published_by" varchar(255) not null,
    "published_tags" longtext not null, "deprecated" longtext null, "signatures" longtext
    null, "dependency_names" longtext null, "description" longtext not null, "keywords"
    longtext not null, "search_text" longtext not null, "downloads" bigint not null,
    "blob_id" bigint unsigned not null)`,
  'alter table "npm_versions" add index "npm_versions_package_id_index" ("package_id")',
  'alter table "npm_versions" add index "npm_versions_published_at_index" ("published_at")',
  'alter table "npm_versions" add index "npm_versions_blob_id_index" ("blob_id")',
  `alter table "npm_versions" add unique "npm_versions_package_id_version_unique"
    ("package_id", "version")`,
  `create table "npm_tags" ("package_id" bigint unsigned not null, "tag" varchar(214) not
    null, "version_id" bigint unsigned not null, primary key ("package_id", "tag"))`,
  'alter table "npm_tags" add index "npm_tags_package_id_index" ("package_id")',
  'alter table "npm_tags" add index "npm_tags_version_id_index" ("version_id")',
  `create table "npm_attestations" ("id" bigint unsigned not null auto_increment primary key,
    "version_id" bigint unsigned not null, "predicate_type" varchar(255) not null,
    "bundle" longtext not null, "created_at" datetime(3) not null)`,
  `alter table "npm_attestations" add index "npm_attestations_version_id_index"
    ("version_id")`,
  `alter table "npm_attestations" add unique
    "npm_attestations_version_id_predicate_type_unique" ("version_id", "predicate_type")`,
  `create table "nuget_advisories" ("id" bigint unsigned not null auto_increment primary key,
    "source" varchar(64) not null, "page" varchar(16) not null, "advisory_id" varchar(128)
    null, "lower_id" varchar(128) not null, "severity" int not null, "url" longtext not
    null, "versions" longtext not null)`,
  'alter table "nuget_advisories" add index "nuget_advisories_lower_id_index" ("lower_id")',
  `alter table "nuget_advisories" add index "nuget_advisories_source_page_index" ("source",
    "page")`,
  `create table "nuget_advisory_sources" ("name" varchar(64) not null, "base_at" datetime(3)
    not null, "updated_at" datetime(3) not null, "checked_at" datetime(3) not null,
    "state" longtext null, primary key ("name"))`,
  `create table "nuget_catalog_items" ("position" bigint unsigned not null, "event_id" bigint
    not null, "type" varchar(32) not null, "display_id" varchar(128) not null, "version"
    varchar(256) not null, "commit_id" varchar(36) not null, "commit_at" datetime(3) not
    null, "leaf" longtext not null, primary key ("position"))`,
  `alter table "nuget_catalog_items" add unique "nuget_catalog_items_event_id_unique"
    ("event_id")`,
  `alter table "nuget_catalog_items" add index "nuget_catalog_items_display_id_index"
    ("display_id")`,
  `alter table "nuget_catalog_items" add unique "nuget_catalog_items_commit_at_unique"
    ("commit_at")`,
  `create table "nuget_dependencies" ("package_id" bigint unsigned not null, "dependency_id"
    varchar(128) not null, primary key ("package_id", "dependency_id"))`,
  `alter table "nuget_dependencies" add index "nuget_dependencies_dependency_id_index"
    ("dependency_id")`,
  `create table "nuget_packages" ("id" bigint unsigned not null auto_increment primary key,
    "lower_id" varchar(128) not null, "display_id" varchar(128) not null, "created_at"
    datetime(3) not null, "downloads" bigint not null, "owners" longtext null,
    "newest_stable1" bigint null, "newest_any1" bigint null, "newest_stable2" bigint null,
    "newest_any2" bigint null)`,
  'alter table "nuget_packages" add unique "nuget_packages_lower_id_unique" ("lower_id")',
  `alter table "nuget_packages" add index "nuget_packages_popular" ("downloads" DESC,
    "lower_id")`,
  `create table "nuget_search_entries" ("version_id" bigint unsigned not null, "package_id"
    bigint not null, "filters" longtext not null, "id_words" longtext not null, "id_parts"
    longtext not null, "title" longtext not null, "tags" longtext not null, "authors"
    longtext not null, "summary" longtext not null, "description" longtext not null,
    primary key ("version_id"))`,
  `alter table "nuget_search_entries" add index "nuget_search_entries_package_id_index"
    ("package_id")`,
  `alter table "nuget_search_entries" add index
    "nuget_search_entries_version_id_package_id_index" ("version_id", "package_id")`,
  `create table "nuget_tombstones" ("lower_id" varchar(128) not null, "lower_version"
    varchar(128) not null, "display_id" varchar(128) not null, "version" varchar(128) not
    null, "sha256" varchar(64) not null, "deleted_at" datetime(3) not null, "deleted_by"
    varchar(255) not null, primary key ("lower_id", "lower_version"))`,
  `create table "nuget_versions" ("id" bigint unsigned not null auto_increment primary key,
    "package_id" bigint unsigned not null, "lower_version" varchar(256) not null,
    "display_id" varchar(128) not null, "version" varchar(256) not null, "full_version"
    varchar(256) not null, "is_prerelease" tinyint(1) not null, "is_sem_ver2" tinyint(1)
    not null, "listed" tinyint(1) not null, "published_at" datetime(3) not null,
    "downloads" bigint not null, "downloaded_at" datetime(3) null, "size" bigint not null,
    "origin" varchar(16) not null, "published_by" varchar(255) not null, "deprecation"
    longtext null, "target_frameworks" longtext null, "dependency_ids" longtext null,
    "details" longtext not null, "nuspec" longblob not null, "sha512" varchar(88) not
    null, "content_hash" varchar(88) null, "blob_id" bigint unsigned not null, "seal_plan"
    longblob null, "seal_fingerprint" varchar(64) null, "seal_size" bigint null,
    "seal_signed_at" datetime(3) null, "seal_sha256" varchar(64) null, "seal_sha512"
    varchar(88) null)`,
  'alter table "nuget_versions" add index "nuget_versions_package_id_index" ("package_id")',
  `alter table "nuget_versions" add index "nuget_versions_published_at_index"
    ("published_at")`,
  `alter table "nuget_versions" add index "nuget_versions_seal_fingerprint_index"
    ("seal_fingerprint")`,
  'alter table "nuget_versions" add index "nuget_versions_blob_id_index" ("blob_id")',
  `alter table "nuget_versions" add index "nuget_versions_shown" ("package_id", "listed",
    "is_prerelease", "is_sem_ver2", "full_version", "downloads")`,
  `alter table "nuget_versions" add unique "nuget_versions_package_id_lower_version_unique"
    ("package_id", "lower_version")`,
  `create table "nuget_symbol_packages" ("id" bigint unsigned not null auto_increment primary
    key, "version_id" bigint unsigned not null, "blob_id" bigint unsigned not null,
    "uploaded_at" datetime(3) not null, "uploaded_by" longtext not null)`,
  `alter table "nuget_symbol_packages" add index "nuget_symbol_packages_version_id_index"
    ("version_id")`,
  `alter table "nuget_symbol_packages" add unique "nuget_symbol_packages_version_id_unique"
    ("version_id")`,
  `alter table "nuget_symbol_packages" add index "nuget_symbol_packages_blob_id_index"
    ("blob_id")`,
  `create table "nuget_symbol_files" ("id" bigint unsigned not null auto_increment primary
    key, "symbol_package_id" bigint unsigned not null, "file_name" varchar(255) not null,
    "symbol_key" varchar(64) not null, "checksum" varchar(64) not null, "blob_id" bigint
    unsigned not null)`,
  `alter table "nuget_symbol_files" add index "nuget_symbol_files_symbol_package_id_index"
    ("symbol_package_id")`,
  `alter table "nuget_symbol_files" add index "nuget_symbol_files_symbol_key_file_name_index"
    ("symbol_key", "file_name")`,
  'alter table "nuget_symbol_files" add index "nuget_symbol_files_blob_id_index" ("blob_id")',
  `create table "oci_gc_runs" ("id" varchar(36) not null, "surface" varchar(255) not null,
    "dry_run" tinyint(1) not null, "reviewed" varchar(36) null, "state" varchar(16) not
    null, "unused_since" datetime(3) not null, "started_at" datetime(3) not null,
    "finished_at" datetime(3) null, "removed_count" bigint not null, "removed_bytes"
    bigint not null, "error" longtext null, primary key ("id"))`,
  'alter table "oci_gc_runs" add index "oci_gc_runs_started_at_index" ("started_at")',
  `create table "oci_gc_candidates" ("id" bigint unsigned not null auto_increment primary
    key, "run_id" varchar(36) not null, "kind" varchar(16) not null, "repository"
    varchar(255) not null, "digest" varchar(135) not null, "size" bigint not null,
    "reason" varchar(16) not null, "last_used_at" datetime(3) not null)`,
  'alter table "oci_gc_candidates" add index "oci_gc_candidates_run_id_index" ("run_id")',
  `alter table "oci_gc_candidates" add unique
    "oci_gc_candidates_run_id_kind_repository_digest_unique" ("run_id", "kind",
    "repository", "digest")`,
  `create table "oci_holds" ("digest" varchar(135) not null, "holder" varchar(255) not null,
    "held_until" datetime(3) null, primary key ("digest", "holder"))`,
  'alter table "oci_holds" add index "oci_holds_holder_index" ("holder")',
  `create table "oci_repositories" ("id" bigint unsigned not null auto_increment primary key,
    "name" varchar(255) not null, "created_at" datetime(3) not null, "pulls" bigint not
    null)`,
  'alter table "oci_repositories" add unique "oci_repositories_name_unique" ("name")',
  `create table "oci_manifests" ("id" bigint unsigned not null auto_increment primary key,
    "repository_id" bigint unsigned not null, "digest" varchar(135) not null, "media_type"
    longtext not null, "size" bigint not null, "bytes" longblob not null, "subject"
    varchar(135) null, "artifact_type" longtext null, "annotations" longtext null,
    "pushed_at" datetime(3) not null, "touched_at" datetime(3) not null, "deleted_at"
    datetime(3) null)`,
  `alter table "oci_manifests" add index "oci_manifests_repository_id_index"
    ("repository_id")`,
  `alter table "oci_manifests" add index "oci_manifests_repository_id_subject_id_index"
    ("repository_id", "subject", "id")`,
  `alter table "oci_manifests" add unique "oci_manifests_repository_id_digest_unique"
    ("repository_id", "digest")`,
  `create table "oci_manifest_edges" ("manifest_id" bigint unsigned not null, "kind"
    varchar(16) not null, "child" varchar(135) not null, "repository_id" bigint unsigned
    not null, "size" bigint not null, primary key ("manifest_id", "kind", "child"))`,
  `alter table "oci_manifest_edges" add index "oci_manifest_edges_manifest_id_index"
    ("manifest_id")`,
  `alter table "oci_manifest_edges" add index "oci_manifest_edges_repository_id_index"
    ("repository_id")`,
  `alter table "oci_manifest_edges" add index "oci_manifest_edges_repository_id_child_index"
    ("repository_id", "child")`,
  `create table "oci_repository_blobs" ("repository_id" bigint unsigned not null, "blob_id"
    bigint unsigned not null, "linked_at" datetime(3) not null, primary key
    ("repository_id", "blob_id"))`,
  `alter table "oci_repository_blobs" add index "oci_repository_blobs_repository_id_index"
    ("repository_id")`,
  `alter table "oci_repository_blobs" add index "oci_repository_blobs_blob_id_index"
    ("blob_id")`,
  `alter table "oci_repository_blobs" add index
    "oci_repository_blobs_repository_id_linked_at_index" ("repository_id", "linked_at")`,
  `create table "oci_tags" ("repository_id" bigint unsigned not null, "tag" varchar(128) not
    null, "manifest_id" bigint unsigned not null, "subject" varchar(135) null,
    "updated_at" datetime(3) not null, "pulled_at" datetime(3) null, primary key
    ("repository_id", "tag"))`,
  'alter table "oci_tags" add index "oci_tags_repository_id_index" ("repository_id")',
  'alter table "oci_tags" add index "oci_tags_updated_at_index" ("updated_at")',
  'alter table "oci_tags" add index "oci_tags_manifest_id_index" ("manifest_id")',
  `alter table "oci_tags" add index "oci_tags_repository_id_subject_index" ("repository_id",
    "subject")`,
  `create table "oci_uploads" ("id" varchar(64) not null, "repository" varchar(255) not null,
    "owner" varchar(255) not null, "received" bigint not null, "algorithm" varchar(16)
    null, "bytes" longblob null, "writer" varchar(128) null, "claimed_until" datetime(3)
    null, "created_at" datetime(3) not null, "updated_at" datetime(3) not null, primary
    key ("id"))`,
  'alter table "oci_uploads" add index "oci_uploads_updated_at_index" ("updated_at")',
  `create table "ownerships" ("protocol" varchar(16) not null, "name_key" varchar(255) not
    null, "owner_id" varchar(36) not null, "owner_kind" varchar(16) not null, "level"
    varchar(16) not null, "created_at" datetime(3) not null, "created_by" varchar(255) not
    null, primary key ("protocol", "name_key", "owner_id"))`,
  'alter table "ownerships" add index "ownerships_owner_id_index" ("owner_id")',
  `create table "owner_transfers" ("id" varchar(36) not null, "protocol" varchar(16) not
    null, "name_key" varchar(255) not null, "from_id" varchar(36) null, "to_id"
    varchar(36) not null, "level" varchar(16) not null, "created_at" datetime(3) not null,
    "created_by" varchar(255) not null, "expires_at" datetime(3) not null, "decided_at"
    datetime(3) null, "decision" varchar(16) null, "decided_by" varchar(255) null,
    "maker_id" varchar(36) null, primary key ("id"))`,
  'alter table "owner_transfers" add index "owner_transfers_to_id_index" ("to_id")',
  'alter table "owner_transfers" add index "owner_transfers_expires_at_index" ("expires_at")',
  `alter table "owner_transfers" add index "owner_transfers_protocol_name_key_index"
    ("protocol", "name_key")`,
  `create table "parked_events" ("id" bigint unsigned not null auto_increment primary key,
    "consumer" varchar(64) not null, "event_id" bigint not null, "type" varchar(64) not
    null, "subject" varchar(512) not null, "actor" varchar(255) not null, "token_id"
    varchar(64) null, "address" varchar(64) null, "request_id" varchar(128) null, "detail"
    longtext null, "at" datetime(3) not null, "attempts" bigint not null, "next_at"
    datetime(3) null, "error" longtext not null, "parked_at" datetime(3) not null)`,
  `alter table "parked_events" add unique "parked_events_consumer_event_id_unique"
    ("consumer", "event_id")`,
  `create table "registry_identity" ("id" int unsigned not null, "registry_id" varchar(36)
    not null, "known_organization" varchar(255) null, primary key ("id"))`,
  `create table "release_items" ("id" varchar(64) not null, "release_id" varchar(36) not
    null, "position" int not null, "target" varchar(64) not null, "member" longtext not
    null, "state" varchar(24) not null, "found_before" longtext null, "was_there"
    tinyint(1) not null, "attempts" int not null, "next_at" datetime(3) null,
    "pending_since" datetime(3) null, "stage_id" varchar(255) null, "note" longtext null,
    "served" longtext null, primary key ("id"))`,
  'alter table "release_items" add index "release_items_release_id_index" ("release_id")',
  `create table "release_lanes" ("place" varchar(64) not null, "release_id" varchar(36) not
    null, primary key ("place"))`,
  'alter table "release_lanes" add index "release_lanes_release_id_index" ("release_id")',
  `create table "nuget_replaced_seals" ("id" bigint unsigned not null auto_increment primary
    key, "version_id" bigint unsigned not null, "plan" longblob null, "fingerprint"
    varchar(64) not null, "size" bigint not null, "signed_at" datetime(3) not null,
    "replaced_at" datetime(3) not null, "sha256" varchar(64) null, "sha512" varchar(88)
    null)`,
  `alter table "nuget_replaced_seals" add index "nuget_replaced_seals_version_id_index"
    ("version_id")`,
  `create table "reserved_names" ("id" bigint unsigned not null auto_increment primary key,
    "protocol" varchar(16) not null, "pattern" varchar(255) not null, "is_prefix"
    tinyint(1) not null, "owner_id" varchar(36) not null, "owner_kind" varchar(16) not
    null, "shared" tinyint(1) not null, "delegated_from" varchar(36) null, "created_at"
    datetime(3) not null, "created_by" varchar(255) not null)`,
  'alter table "reserved_names" add index "reserved_names_owner_id_index" ("owner_id")',
  `alter table "reserved_names" add unique "reserved_names_protocol_pattern_owner_id_unique"
    ("protocol", "pattern", "owner_id")`,
  `create table "schema_level" ("id" int unsigned not null, "required" varchar(128) not null,
    primary key ("id"))`,
  `create table "signing_certificates" ("fingerprint" varchar(64) not null, "subject"
    longtext not null, "issuer" longtext not null, "not_before" datetime(3) not null,
    "not_after" datetime(3) not null, "listed_at" datetime(3) not null, "first_used_at"
    datetime(3) not null, "last_used_at" datetime(3) not null, "active" tinyint(1) not
    null, "der" longblob not null, primary key ("fingerprint"))`,
  `create table "source_states" ("key" varchar(64) not null, "last_success_at" datetime(3)
    null, "last_error_at" datetime(3) null, "last_error" longtext null, "paused_until"
    datetime(3) null, primary key ("key"))`,
  `create table "staged_versions" ("id" varchar(36) not null, "protocol" varchar(16) not
    null, "name" varchar(255) not null, "version" varchar(256) not null, "summary"
    longtext not null, "details" longtext not null, "actor" varchar(255) not null,
    "created_at" datetime(3) not null, "expires_at" datetime(3) not null, "blob_id" bigint
    unsigned not null, primary key ("id"))`,
  'alter table "staged_versions" add index "staged_versions_blob_id_index" ("blob_id")',
  'alter table "staged_versions" add index "staged_versions_expires_at_index" ("expires_at")',
  `alter table "staged_versions" add unique "staged_versions_protocol_name_version_unique"
    ("protocol", "name", "version")`,
  `create table "package_groups" ("key" varchar(64) not null, "name" varchar(64) not null,
    "definition" longtext not null, "changed_at" datetime(3) not null, primary key
    ("key"))`,
  `create table "policy_rules" ("id" varchar(36) not null, "effect" varchar(16) not null,
    "protocol" varchar(16) not null, "pattern" varchar(256) not null, "versions" longtext
    not null, "conditions" longtext not null, "reason" longtext not null, "created_by"
    longtext not null, "created_at" datetime(3) not null, "expires_at" datetime(3) null,
    primary key ("id"))`,
  `create table "releases" ("id" varchar(36) not null, "number" int not null, "group_key"
    varchar(64) not null, "group_name" varchar(64) not null, "kind" varchar(16) not null,
    "state" varchar(16) not null, "request_key" varchar(128) not null, "active_key"
    varchar(128) not null, "lane" varchar(64) not null, "targets" longtext not null,
    "actor" longtext not null, "token_id" varchar(64) null, "created_at" datetime(3) not
    null, "frozen_at" datetime(3) null, "pivot_at" datetime(3) null, "attempts_since"
    datetime(3) not null, "ended_at" datetime(3) null, "next_at" datetime(3) null,
    "reason" longtext null, "statement" longtext null, "statement_digest" varchar(64)
    null, "outcome" longtext null, primary key ("id"))`,
  'alter table "releases" add unique "releases_request_key_unique" ("request_key")',
  'alter table "releases" add unique "releases_active_key_unique" ("active_key")',
  'alter table "releases" add index "releases_group_key_number_index" ("group_key", "number")',
  `alter table "releases" add index "releases_ended_at_created_at_index" ("ended_at",
    "created_at")`,
  'alter table "releases" add index "releases_lane_ended_at_index" ("lane", "ended_at")',
  `create table "package_sources" ("key" varchar(64) not null, "name" varchar(64) not null,
    "protocol" varchar(16) not null, "url" longtext not null, "type" varchar(16) not null,
    "priority" int not null, "surface" varchar(64) null, "strategy" varchar(16) not null,
    "signature_policy" varchar(16) not null, "enabled" tinyint(1) not null, "credentials"
    longblob null, "settings" longtext not null, "changed_at" datetime(3) not null,
    primary key ("key"))`,
  `create table "syndications" ("key" varchar(64) not null, "name" varchar(64) not null,
    "definition" longtext not null, "enabled" tinyint(1) not null, "changed_at"
    datetime(3) not null, primary key ("key"))`,
  `create table "publish_targets" ("key" varchar(64) not null, "name" varchar(64) not null,
    "protocol" varchar(16) not null, "endpoint" longtext not null, "credentials" longblob
    null, "expires_at" datetime(3) null, "paused_at" datetime(3) null, "pause_reason"
    longtext null, "options" longtext not null, "changed_at" datetime(3) not null, primary
    key ("key"))`,
  `create table "upstream_certificates" ("fingerprint" varchar(64) not null, "subject"
    longtext not null, "issuer" longtext not null, "not_before" datetime(3) not null,
    "not_after" datetime(3) not null, "seen_at" datetime(3) not null, "der" longblob not
    null, primary key ("fingerprint"))`,
  `create table "upstream_documents" ("document_key" varchar(400) not null, "source_hash"
    varchar(64) not null, "status" varchar(16) not null, "revision" varchar(64) not null,
    "etag" longtext null, "last_modified" longtext null, "checked_at" datetime(3) not
    null, "gone_since" datetime(3) null, "content" longblob null, primary key
    ("document_key"))`,
  `alter table "upstream_documents" add index "upstream_documents_status_checked_at_index"
    ("status", "checked_at")`,
  `alter table "upstream_documents" add index "upstream_documents_source_hash_index"
    ("source_hash")`,
  `create table "webhooks" ("id" varchar(36) not null, "url" longtext not null, "events"
    longtext not null, "format" varchar(16) not null, "origin" varchar(16) not null,
    "enabled" tinyint(1) not null, "includes" varchar(16) null, "reason" longtext null,
    "secret" longblob null, "former_secret" longblob null, "former_ends_at" datetime(3)
    null, "created_at" datetime(3) not null, primary key ("id"))`,
  `create table "webhook_deliveries" ("id" bigint unsigned not null auto_increment primary
    key, "webhook_id" varchar(36) not null, "event_id" bigint not null, "type" varchar(64)
    not null, "subject" varchar(512) not null, "names" longtext not null, "order_key"
    varchar(64) not null, "body" longtext not null, "state" varchar(16) not null,
    "attempts" bigint not null, "next_at" datetime(3) null, "log" longtext not null,
    "created_at" datetime(3) not null, "done_at" datetime(3) null)`,
  `alter table "webhook_deliveries" add index
    "webhook_deliveries_webhook_id_state_event_id_index" ("webhook_id", "state",
    "event_id")`,
  `alter table "webhook_deliveries" add index "webhook_deliveries_state_next_at_index"
    ("state", "next_at")`,
  `alter table "webhook_deliveries" add index
    "webhook_deliveries_webhook_id_order_key_event_id_index" ("webhook_id", "order_key",
    "event_id")`,
  `alter table "webhook_deliveries" add index
    "webhook_deliveries_webhook_id_state_next_at_index" ("webhook_id", "state", "next_at")`,
  `alter table "webhook_deliveries" add unique
    "webhook_deliveries_webhook_id_event_id_unique" ("webhook_id", "event_id")`,
  `alter table "blob_contents" add constraint "blob_contents_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on update cascade on delete cascade`,
  `alter table "held_contents" add constraint "held_contents_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on delete restrict`,
  `alter table "kept_contents" add constraint "kept_contents_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on delete restrict`,
  `alter table "npm_dependencies" add constraint "npm_dependencies_package_id_foreign"
    foreign key ("package_id") references "npm_packages" ("id") on delete cascade`,
  `alter table "npm_versions" add constraint "npm_versions_package_id_foreign" foreign key
    ("package_id") references "npm_packages" ("id") on delete restrict`,
  `alter table "npm_versions" add constraint "npm_versions_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on delete restrict`,
  `alter table "npm_tags" add constraint "npm_tags_package_id_foreign" foreign key
    ("package_id") references "npm_packages" ("id") on delete restrict`,
  `alter table "npm_tags" add constraint "npm_tags_version_id_foreign" foreign key
    ("version_id") references "npm_versions" ("id") on delete restrict`,
  `alter table "npm_attestations" add constraint "npm_attestations_version_id_foreign"
    foreign key ("version_id") references "npm_versions" ("id") on delete cascade`,
  `alter table "nuget_versions" add constraint "nuget_versions_package_id_foreign" foreign
    key ("package_id") references "nuget_packages" ("id") on delete restrict`,
  `alter table "nuget_versions" add constraint "nuget_versions_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on delete restrict`,
  `alter table "nuget_symbol_packages" add constraint
    "nuget_symbol_packages_version_id_foreign" foreign key ("version_id") references
    "nuget_versions" ("id") on delete restrict`,
  `alter table "nuget_symbol_packages" add constraint "nuget_symbol_packages_blob_id_foreign"
    foreign key ("blob_id") references "blobs" ("id") on delete restrict`,
  `alter table "nuget_symbol_files" add constraint
    "nuget_symbol_files_symbol_package_id_foreign" foreign key ("symbol_package_id")
    references "nuget_symbol_packages" ("id") on delete restrict`,
  `alter table "nuget_symbol_files" add constraint "nuget_symbol_files_blob_id_foreign"
    foreign key ("blob_id") references "blobs" ("id") on delete restrict`,
  `alter table "oci_gc_candidates" add constraint "oci_gc_candidates_run_id_foreign" foreign
    key ("run_id") references "oci_gc_runs" ("id") on delete cascade`,
  `alter table "oci_manifests" add constraint "oci_manifests_repository_id_foreign" foreign
    key ("repository_id") references "oci_repositories" ("id") on delete restrict`,
  `alter table "oci_manifest_edges" add constraint "oci_manifest_edges_manifest_id_foreign"
    foreign key ("manifest_id") references "oci_manifests" ("id") on delete cascade`,
  `alter table "oci_manifest_edges" add constraint "oci_manifest_edges_repository_id_foreign"
    foreign key ("repository_id") references "oci_repositories" ("id") on delete restrict`,
  `alter table "oci_repository_blobs" add constraint
    "oci_repository_blobs_repository_id_foreign" foreign key ("repository_id") references
    "oci_repositories" ("id") on update cascade on delete restrict`,
  `alter table "oci_repository_blobs" add constraint "oci_repository_blobs_blob_id_foreign"
    foreign key ("blob_id") references "blobs" ("id") on update cascade on delete restrict`,
  `alter table "oci_tags" add constraint "oci_tags_repository_id_foreign" foreign key
    ("repository_id") references "oci_repositories" ("id") on delete restrict`,
  `alter table "oci_tags" add constraint "oci_tags_manifest_id_foreign" foreign key
    ("manifest_id") references "oci_manifests" ("id") on delete restrict`,
  `alter table "nuget_replaced_seals" add constraint
    "nuget_replaced_seals_version_id_foreign" foreign key ("version_id") references
    "nuget_versions" ("id") on delete restrict`,
  `alter table "staged_versions" add constraint "staged_versions_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on delete restrict`,
];

export const IDENTITY: readonly string[] = [
  `create table "host_external_identities" ("issuer" varchar(160) not null, "subject"
    varchar(255) not null, "user_id" varchar(36) not null, "shown" longtext not null,
    "sealed_grant" longblob null, "outcome" varchar(16) not null, "checked_at" datetime(3)
    not null, "claimed_until" datetime(3) null, primary key ("issuer", "subject"))`,
  `alter table "host_external_identities" add index "host_external_identities_user_id_index"
    ("user_id")`,
  `alter table "host_external_identities" add index
    "host_external_identities_checked_at_index" ("checked_at")`,
  `create table "host_challenges" ("hash" varchar(64) not null, "session_hash" varchar(64)
    not null, "user_id" varchar(36) not null, "purpose" varchar(32) not null, "subject"
    longtext null, "created_at" datetime(3) not null, "expires_at" datetime(3) not null,
    primary key ("hash"))`,
  'alter table "host_challenges" add index "host_challenges_expires_at_index" ("expires_at")',
  `create table "host_confirmations" ("hash" varchar(64) not null, "session_hash" varchar(64)
    not null, "action" varchar(32) not null, "subject" longtext not null, "path" longtext
    not null, "back_path" longtext not null, "sealed_form" longblob not null, "created_at"
    datetime(3) not null, "expires_at" datetime(3) not null, "confirmed_at" datetime(3)
    null, primary key ("hash"))`,
  `alter table "host_confirmations" add index "host_confirmations_session_hash_index"
    ("session_hash")`,
  `alter table "host_confirmations" add index "host_confirmations_expires_at_index"
    ("expires_at")`,
  `create table "host_passkeys" ("credential_hash" varchar(64) not null, "credential_id"
    longtext not null, "user_id" varchar(36) not null, "rp_id" varchar(255) not null,
    "public_key" longblob not null, "counter" bigint not null, "backed_up" tinyint(1) not
    null, "transports" longtext not null, "name" longtext not null, "created_at"
    datetime(3) not null, "used_at" datetime(3) null, primary key ("credential_hash"))`,
  'alter table "host_passkeys" add index "host_passkeys_user_id_index" ("user_id")',
  `create table "host_sessions" ("hash" varchar(64) not null, "previous_hash" varchar(64)
    null, "previous_ends_at" datetime(3) null, "user_id" varchar(36) null, "token_id"
    varchar(36) null, "epoch" int not null, "created_at" datetime(3) not null,
    "rotated_at" datetime(3) not null, "seen_at" datetime(3) not null, "idle_ends_at"
    datetime(3) not null, "ends_at" datetime(3) not null, "address" varchar(64) null,
    "agent" longtext null, primary key ("hash"))`,
  `alter table "host_sessions" add index "host_sessions_previous_hash_index"
    ("previous_hash")`,
  'alter table "host_sessions" add index "host_sessions_user_id_index" ("user_id")',
  'alter table "host_sessions" add index "host_sessions_token_id_index" ("token_id")',
  'alter table "host_sessions" add index "host_sessions_ends_at_index" ("ends_at")',
  `create table "host_teams" ("id" varchar(36) not null, "handle" varchar(39) not null,
    "display_name" longtext not null, "group_ref" varchar(255) null, "created_at"
    datetime(3) not null, primary key ("id"))`,
  'alter table "host_teams" add unique "host_teams_handle_unique" ("handle")',
  `create table "host_tokens" ("id" varchar(36) not null, "name" longtext not null, "owner"
    varchar(255) null, "parent_id" varchar(36) null, "user_id" varchar(36) null,
    "service_account_id" varchar(36) null, "policy_id" varchar(36) null, "prefix"
    varchar(16) not null, "hash" varchar(64) not null, "scheme" int not null, "scopes"
    longtext not null, "protocols" longtext not null, "patterns" longtext not null,
    "networks" longtext not null, "created_at" datetime(3) not null, "expires_at"
    datetime(3) null, "revoked_at" datetime(3) null, "last_used_at" datetime(3) null,
    "last_used_from" varchar(64) null, "replaces" varchar(36) null, "leaked_at"
    datetime(3) null, "noticed_days" int null, primary key ("id"))`,
  'alter table "host_tokens" add index "host_tokens_owner_index" ("owner")',
  'alter table "host_tokens" add index "host_tokens_parent_id_index" ("parent_id")',
  'alter table "host_tokens" add index "host_tokens_user_id_index" ("user_id")',
  `alter table "host_tokens" add index "host_tokens_service_account_id_index"
    ("service_account_id")`,
  'alter table "host_tokens" add index "host_tokens_policy_id_index" ("policy_id")',
  'alter table "host_tokens" add index "host_tokens_prefix_index" ("prefix")',
  `create table "host_users" ("id" varchar(36) not null, "handle" varchar(39) not null,
    "display_name" longtext not null, "email" longtext null, "role" varchar(16) not null,
    "role_source" varchar(16) not null, "state" varchar(16) not null, "reason" longtext
    null, "blocked_from" varchar(16) null, "epoch" int not null, "created_at" datetime(3)
    not null, "validated_at" datetime(3) null, "last_sign_in_at" datetime(3) null,
    "second_factor" varchar(16) null, primary key ("id"))`,
  'alter table "host_users" add unique "host_users_handle_unique" ("handle")',
  `alter table "host_users" add index "host_users_state_validated_at_index" ("state",
    "validated_at")`,
  `create table "host_login_sessions" ("poll_hash" varchar(64) not null, "code" varchar(32)
    not null, "purpose" varchar(32) not null, "subject" longtext null, "address"
    varchar(64) null, "created_at" datetime(3) not null, "expires_at" datetime(3) not
    null, "granted" longtext null, "denied_at" datetime(3) null, primary key
    ("poll_hash"))`,
  'alter table "host_login_sessions" add unique "host_login_sessions_code_unique" ("code")',
  `alter table "host_login_sessions" add index "host_login_sessions_expires_at_index"
    ("expires_at")`,
  `create table "host_owner_names" ("name" varchar(39) not null, "kind" varchar(16) not null,
    "owner_id" varchar(36) not null, "created_at" datetime(3) not null, primary key
    ("name"))`,
  'alter table "host_owner_names" add index "host_owner_names_owner_id_index" ("owner_id")',
  `create table "host_publish_policies" ("id" varchar(36) not null, "provider" varchar(32)
    not null, "issuer" varchar(255) not null, "claims" longtext not null, "pinned"
    longtext null, "pin_ends_at" datetime(3) null, "owner_id" varchar(36) null,
    "created_by" varchar(255) not null, "maker_id" varchar(36) null, "protocols" longtext
    not null, "patterns" longtext not null, "scopes" longtext not null, "life_seconds" int
    not null, "may_create" tinyint(1) not null, "events" longtext not null,
    "fixed_audience" varchar(255) null, "state" varchar(16) not null, "created_at"
    datetime(3) not null, "used_at" datetime(3) null, primary key ("id"))`,
  `alter table "host_publish_policies" add index "host_publish_policies_issuer_index"
    ("issuer")`,
  `alter table "host_publish_policies" add index "host_publish_policies_owner_id_index"
    ("owner_id")`,
  `alter table "host_publish_policies" add index "host_publish_policies_maker_id_index"
    ("maker_id")`,
  `create table "host_refresh_tokens" ("hash" varchar(64) not null, "token_id" varchar(36)
    not null, "client" varchar(255) not null, "created_at" datetime(3) not null,
    "expires_at" datetime(3) not null, "last_used_at" datetime(3) null, primary key
    ("hash"))`,
  `alter table "host_refresh_tokens" add index "host_refresh_tokens_token_id_index"
    ("token_id")`,
  `alter table "host_refresh_tokens" add index "host_refresh_tokens_expires_at_index"
    ("expires_at")`,
  `create table "host_service_accounts" ("id" varchar(36) not null, "name" varchar(64) not
    null, "team_id" varchar(36) null, "state" varchar(16) not null, "created_at"
    datetime(3) not null, primary key ("id"))`,
  `alter table "host_service_accounts" add unique "host_service_accounts_name_unique"
    ("name")`,
  `alter table "host_service_accounts" add index "host_service_accounts_team_id_index"
    ("team_id")`,
  `create table "host_sign_in_failures" ("address" varchar(64) not null, "empty_ms" bigint
    not null, primary key ("address"))`,
  `alter table "host_sign_in_failures" add index "host_sign_in_failures_empty_ms_index"
    ("empty_ms")`,
  `create table "host_team_members" ("team_id" varchar(36) not null, "user_id" varchar(36)
    not null, "level" varchar(16) not null, "source" varchar(16) not null, "created_at"
    datetime(3) not null, primary key ("team_id", "user_id"))`,
  'alter table "host_team_members" add index "host_team_members_user_id_index" ("user_id")',
  `create table "host_used_id_tokens" ("fingerprint" varchar(64) not null, "surface"
    varchar(16) not null, "subject" varchar(255) not null, "policy_id" varchar(36) not
    null, "token_id" varchar(36) not null, "ends_at" datetime(3) not null, primary key
    ("fingerprint", "surface", "subject"))`,
  `alter table "host_used_id_tokens" add index "host_used_id_tokens_ends_at_index"
    ("ends_at")`,
];
