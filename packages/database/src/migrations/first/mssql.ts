// Generated: see create-migrations.ts.

export const CATALOG: readonly string[] = [
  `create table "audit_log" ("event_id" bigint not null, "type" nvarchar(64) not null,
    "subject" nvarchar(512) not null, "actor" nvarchar(255) not null, "token_id"
    nvarchar(64) null, "address" nvarchar(64) null, "request_id" nvarchar(128) null,
    "detail" nvarchar(max) null, "at" datetime2(3) not null, constraint "audit_log_pkey"
    primary key ("event_id"))`,
  'create index "audit_log_at_index" on "audit_log" ("at")',
  `create table "blobs" ("id" bigint identity(1,1) not null constraint "blobs_pkey" primary
    key, "protocol" nvarchar(16) not null, "digest" nvarchar(135) not null, "size" bigint
    not null, "storage_key" nvarchar(255) not null, "state" nvarchar(16) not null,
    "touched_at" datetime2(3) not null, "created_at" datetime2(3) not null, "verified_at"
    datetime2(3) null, "damaged_at" datetime2(3) null)`,
  'create unique index "blobs_storage_key_unique" on "blobs" ("storage_key")',
  `create index "blobs_protocol_state_touched_at_index" on "blobs" ("protocol", "state",
    "touched_at")`,
  'create index "blobs_protocol_verified_at_index" on "blobs" ("protocol", "verified_at")',
  'create unique index "blobs_protocol_digest_unique" on "blobs" ("protocol", "digest")',
  `create table "blob_contents" ("blob_id" bigint not null, "bytes" varbinary(max) not null,
    constraint "blob_contents_pkey" primary key ("blob_id"))`,
  `create table "completed_manifests" ("place" nvarchar(64) not null, "digest" nvarchar(135)
    not null, "completed_at" datetime2(3) not null, constraint "completed_manifests_pkey"
    primary key ("place", "digest"))`,
  `create table "documents" ("document_key" nvarchar(400) not null, "group_name"
    nvarchar(400) not null, "etag" nvarchar(max) not null, "content_type" nvarchar(max)
    not null, "modified_at" datetime2(3) not null, "identity" varbinary(max) not null,
    "gzip" varbinary(max) null, "zstd" varbinary(max) null, constraint "documents_pkey"
    primary key ("document_key"))`,
  'create index "documents_group_name_index" on "documents" ("group_name")',
  `create table "document_groups" ("name" nvarchar(400) not null, "revision" int not null,
    constraint "document_groups_pkey" primary key ("name"))`,
  `create table "events" ("id" bigint identity(1,1) not null constraint "events_pkey" primary
    key, "type" nvarchar(64) not null, "subject" nvarchar(512) not null, "actor"
    nvarchar(255) not null, "token_id" nvarchar(64) null, "address" nvarchar(64) null,
    "request_id" nvarchar(128) null, "detail" nvarchar(max) null, "at" datetime2(3) not
    null)`,
  `create table "event_cursors" ("consumer" nvarchar(64) not null, "settled_id" bigint not
    null, constraint "event_cursors_pkey" primary key ("consumer"))`,
  `create table "event_deliveries" ("consumer" nvarchar(64) not null, "event_id" bigint not
    null, constraint "event_deliveries_pkey" primary key ("consumer", "event_id"))`,
  `create table "first_seen_versions" ("version_key" nvarchar(64) not null, "seen_at"
    datetime2(3) not null, constraint "first_seen_versions_pkey" primary key
    ("version_key"))`,
  `create table "held_contents" ("id" bigint identity(1,1) not null constraint
    "held_contents_pkey" primary key, "release_id" nvarchar(36) not null, "protocol"
    nvarchar(16) not null, "name" nvarchar(255) not null, "item" nvarchar(256) not null,
    "content" nvarchar(max) not null, "blob_id" bigint not null)`,
  'create index "held_contents_blob_id_index" on "held_contents" ("blob_id")',
  'create index "held_contents_release_id_index" on "held_contents" ("release_id")',
  'create index "held_contents_item" on "held_contents" ("protocol", "name", "item")',
  `create table "history" ("id" bigint identity(1,1) not null constraint "history_pkey"
    primary key, "protocol" nvarchar(16) not null, "name" nvarchar(255) not null, "kind"
    nvarchar(16) not null, "item" nvarchar(256) not null, "value" nvarchar(max) not null,
    "valid_from" datetime2(3) not null, "valid_to" datetime2(3) not null)`,
  `create unique index "history_item" on "history" ("protocol", "name", "kind", "item",
    "valid_to")`,
  `create table "kept_contents" ("id" bigint identity(1,1) not null constraint
    "kept_contents_pkey" primary key, "protocol" nvarchar(16) not null, "name"
    nvarchar(255) not null, "item" nvarchar(256) not null, "value" nvarchar(max) not null,
    "content" nvarchar(max) not null, "lost_at" datetime2(3) not null, "blob_id" bigint
    not null)`,
  'create index "kept_contents_blob_id_index" on "kept_contents" ("blob_id")',
  'create index "kept_contents_lost_at_index" on "kept_contents" ("lost_at")',
  'create index "kept_contents_item" on "kept_contents" ("protocol", "name", "item")',
  `create table "leases" ("name" nvarchar(255) not null, "holder" nvarchar(128) not null,
    "fence" bigint not null, "held_until" datetime2(3) not null, constraint "leases_pkey"
    primary key ("name"))`,
  `create table "lent_keys" ("release_id" nvarchar(36) not null, "target" nvarchar(64) not
    null, "name" nvarchar(255) not null, "sealed" varbinary(max) not null, "expires_at"
    datetime2(3) not null, constraint "lent_keys_pkey" primary key ("release_id",
    "target", "name"))`,
  `create table "mails" ("id" bigint identity(1,1) not null constraint "mails_pkey" primary
    key, "mail_key" nvarchar(64) not null, "template" nvarchar(32) not null, "recipient"
    nvarchar(max) not null, "subject" nvarchar(max) not null, "body" nvarchar(max) not
    null, "state" nvarchar(16) not null, "attempts" bigint not null, "next_at"
    datetime2(3) null, "error" nvarchar(max) null, "created_at" datetime2(3) not null,
    "done_at" datetime2(3) null)`,
  'create index "mails_state_next_at_index" on "mails" ("state", "next_at")',
  'create unique index "mails_mail_key_unique" on "mails" ("mail_key")',
  `create table "name_origins" ("protocol" nvarchar(16) not null, "name" nvarchar(255) not
    null, "origin" nvarchar(16) not null, "source" nvarchar(64) null, "since" datetime2(3)
    not null, constraint "name_origins_pkey" primary key ("protocol", "name"))`,
  `create table "name_settings" ("protocol" nvarchar(16) not null, "name_key" nvarchar(255)
    not null, "visibility" nvarchar(16) null, "trusted_only" bit not null, "changed_at"
    datetime2(3) not null, constraint "name_settings_pkey" primary key ("protocol",
    "name_key"))`,
  `create table "npm_advisories" ("id" bigint identity(1,1) not null constraint
    "npm_advisories_pkey" primary key, "source" nvarchar(64) not null, "advisory_id"
    nvarchar(128) null, "name" nvarchar(214) not null, "severity" int not null, "title"
    nvarchar(max) not null, "url" nvarchar(max) not null, "versions" nvarchar(max) not
    null, "cwe" nvarchar(max) not null, "cvss" nvarchar(max) null)`,
  'create index "npm_advisories_name_index" on "npm_advisories" ("name")',
  'create index "npm_advisories_source_index" on "npm_advisories" ("source")',
  `create table "npm_packages" ("id" bigint identity(1,1) not null constraint
    "npm_packages_pkey" primary key, "name" nvarchar(214) not null, "revision" int not
    null, "created_at" datetime2(3) not null, "modified_at" datetime2(3) not null,
    "readme" nvarchar(max) null, "readme_filename" nvarchar(max) null, "maintainers"
    nvarchar(max) not null, "access" nvarchar(16) null)`,
  'create unique index "npm_packages_name_unique" on "npm_packages" ("name")',
  `create table "npm_dependencies" ("package_id" bigint not null, "dependency_name"
    nvarchar(214) not null, constraint "npm_dependencies_pkey" primary key ("package_id",
    "dependency_name"))`,
  `create index "npm_dependencies_dependency_name_index" on "npm_dependencies"
    ("dependency_name")`,
  `create table "npm_removed_names" ("name" nvarchar(214) not null, "removed_at" datetime2(3)
    not null, "removed_by" nvarchar(255) not null, constraint "npm_removed_names_pkey"
    primary key ("name"))`,
  `create table "npm_signing_keys" ("key_id" nvarchar(64) not null, "public_key"
    nvarchar(max) not null, "sealed_key" varbinary(max) null, "created_at" datetime2(3)
    not null, "announced_at" datetime2(3) null, "expires_at" datetime2(3) null, constraint
    "npm_signing_keys_pkey" primary key ("key_id"))`,
  `create table "npm_tombstones" ("name" nvarchar(214) not null, "version" nvarchar(256) not
    null, "integrity" nvarchar(255) not null, "published_at" datetime2(3) not null,
    "removed_at" datetime2(3) not null, "removed_by" nvarchar(255) not null, constraint
    "npm_tombstones_pkey" primary key nonclustered ("name", "version"))`,
  `create table "npm_versions" ("id" bigint identity(1,1) not null constraint
    "npm_versions_pkey" primary key, "package_id" bigint not null, "version" nvarchar(256)
    not null, "manifest" nvarchar(max) not null, "abbreviated" nvarchar(max) not null,
    "integrity" nvarchar(255) not null, "shasum" nvarchar(40) not null, "file_count" int
    not null, "unpacked_size" bigint not null, "published_at" datetime2(3) not null,
    "published_by" nvarchar(255) not null, "published_tags" nvarchar(max) not null,
    "deprecated" nvarchar(max) null, "signatures" nvarchar(max) null, "dependency_names"
    nvarchar(max) null, "description" nvarchar(max) not null, "keywords" nvarchar(max) not
    null, "search_text" nvarchar(max) not null, "downloads" bigint not null, "blob_id"
    bigint not null)`,
  'create index "npm_versions_published_at_index" on "npm_versions" ("published_at")',
  'create index "npm_versions_blob_id_index" on "npm_versions" ("blob_id")',
  `create unique index "npm_versions_package_id_version_unique" on "npm_versions"
    ("package_id", "version")`,
  `create table "npm_tags" ("package_id" bigint not null, "tag" nvarchar(214) not null,
    "version_id" bigint not null, constraint "npm_tags_pkey" primary key ("package_id",
    "tag"))`,
  'create index "npm_tags_version_id_index" on "npm_tags" ("version_id")',
  `create table "npm_attestations" ("id" bigint identity(1,1) not null constraint
    "npm_attestations_pkey" primary key, "version_id" bigint not null, "predicate_type"
    nvarchar(255) not null, "bundle" nvarchar(max) not null, "created_at" datetime2(3) not
    null)`,
  `create unique index "npm_attestations_version_id_predicate_type_unique" on
    "npm_attestations" ("version_id", "predicate_type")`,
  `create table "nuget_advisories" ("id" bigint identity(1,1) not null constraint
    "nuget_advisories_pkey" primary key, "source" nvarchar(64) not null, "page"
    nvarchar(16) not null, "advisory_id" nvarchar(128) null, "lower_id" nvarchar(128) not
    null, "severity" int not null, "url" nvarchar(max) not null, "versions" nvarchar(max)
    not null)`,
  'create index "nuget_advisories_lower_id_index" on "nuget_advisories" ("lower_id")',
  'create index "nuget_advisories_source_page_index" on "nuget_advisories" ("source", "page")',
  `create table "nuget_advisory_sources" ("name" nvarchar(64) not null, "base_at"
    datetime2(3) not null, "updated_at" datetime2(3) not null, "checked_at" datetime2(3)
    not null, "state" nvarchar(max) null, constraint "nuget_advisory_sources_pkey" primary
    key ("name"))`,
  `create table "nuget_catalog_items" ("position" bigint not null, "event_id" bigint not
    null, "type" nvarchar(32) not null, "display_id" nvarchar(128) not null, "version"
    nvarchar(256) not null, "commit_id" nvarchar(36) not null, "commit_at" datetime2(3)
    not null, "leaf" nvarchar(max) not null, constraint "nuget_catalog_items_pkey" primary
    key ("position"))`,
  `create unique index "nuget_catalog_items_event_id_unique" on "nuget_catalog_items"
    ("event_id")`,
  `create index "nuget_catalog_items_display_id_index" on "nuget_catalog_items"
    ("display_id")`,
  `create unique index "nuget_catalog_items_commit_at_unique" on "nuget_catalog_items"
    ("commit_at")`,
  `create table "nuget_dependencies" ("package_id" bigint not null, "dependency_id"
    nvarchar(128) not null, constraint "nuget_dependencies_pkey" primary key
    ("package_id", "dependency_id"))`,
  `create index "nuget_dependencies_dependency_id_index" on "nuget_dependencies"
    ("dependency_id")`,
  `create table "nuget_packages" ("id" bigint identity(1,1) not null constraint
    "nuget_packages_pkey" primary key, "lower_id" nvarchar(128) not null, "display_id"
    nvarchar(128) not null, "created_at" datetime2(3) not null, "downloads" bigint not
    null, "owners" nvarchar(max) null, "newest_stable1" bigint null, "newest_any1" bigint
    null, "newest_stable2" bigint null, "newest_any2" bigint null)`,
  'create unique index "nuget_packages_lower_id_unique" on "nuget_packages" ("lower_id")',
  'create index "nuget_packages_popular" on "nuget_packages" ("downloads" DESC, "lower_id")',
  `create table "nuget_search_entries" ("version_id" bigint not null, "package_id" bigint not
    null, "filters" nvarchar(max) not null, "id_words" nvarchar(max) not null, "id_parts"
    nvarchar(max) not null, "title" nvarchar(max) not null, "tags" nvarchar(max) not null,
    "authors" nvarchar(max) not null, "summary" nvarchar(max) not null, "description"
    nvarchar(max) not null, constraint "nuget_search_entries_pkey" primary key
    ("version_id"))`,
  `create index "nuget_search_entries_package_id_index" on "nuget_search_entries"
    ("package_id")`,
  `create index "nuget_search_entries_version_id_package_id_index" on "nuget_search_entries"
    ("version_id", "package_id")`,
  `create table "nuget_tombstones" ("lower_id" nvarchar(128) not null, "lower_version"
    nvarchar(128) not null, "display_id" nvarchar(128) not null, "version" nvarchar(128)
    not null, "sha256" nvarchar(64) not null, "deleted_at" datetime2(3) not null,
    "deleted_by" nvarchar(255) not null, constraint "nuget_tombstones_pkey" primary key
    ("lower_id", "lower_version"))`,
  `create table "nuget_versions" ("id" bigint identity(1,1) not null constraint
    "nuget_versions_pkey" primary key, "package_id" bigint not null, "lower_version"
    nvarchar(256) not null, "display_id" nvarchar(128) not null, "version" nvarchar(256)
    not null, "full_version" nvarchar(256) not null, "is_prerelease" bit not null,
    "is_sem_ver2" bit not null, "listed" bit not null, "published_at" datetime2(3) not
    null, "downloads" bigint not null, "downloaded_at" datetime2(3) null, "size" bigint
    not null, "origin" nvarchar(16) not null, "published_by" nvarchar(255) not null,
    "deprecation" nvarchar(max) null, "target_frameworks" nvarchar(max) null,
    "dependency_ids" nvarchar(max) null, "details" nvarchar(max) not null, "nuspec"
    varbinary(max) not null, "sha512" nvarchar(88) not null, "content_hash" nvarchar(88)
    null, "blob_id" bigint not null, "seal_plan" varbinary(max) null, "seal_fingerprint"
    nvarchar(64) null, "seal_size" bigint null, "seal_signed_at" datetime2(3) null,
    "seal_sha256" nvarchar(64) null, "seal_sha512" nvarchar(88) null)`,
  'create index "nuget_versions_published_at_index" on "nuget_versions" ("published_at")',
  `create index "nuget_versions_seal_fingerprint_index" on "nuget_versions"
    ("seal_fingerprint")`,
  'create index "nuget_versions_blob_id_index" on "nuget_versions" ("blob_id")',
  `create index "nuget_versions_shown" on "nuget_versions" ("package_id", "listed",
    "is_prerelease", "is_sem_ver2", "full_version", "downloads")`,
  `create unique index "nuget_versions_package_id_lower_version_unique" on "nuget_versions"
    ("package_id", "lower_version")`,
  `create table "nuget_symbol_packages" ("id" bigint identity(1,1) not null constraint
    "nuget_symbol_packages_pkey" primary key, "version_id" bigint not null, "blob_id"
    bigint not null, "uploaded_at" datetime2(3) not null, "uploaded_by" nvarchar(max) not
    null)`,
  `create unique index "nuget_symbol_packages_version_id_unique" on "nuget_symbol_packages"
    ("version_id")`,
  'create index "nuget_symbol_packages_blob_id_index" on "nuget_symbol_packages" ("blob_id")',
  `create table "nuget_symbol_files" ("id" bigint identity(1,1) not null constraint
    "nuget_symbol_files_pkey" primary key, "symbol_package_id" bigint not null,
    "file_name" nvarchar(255) not null, "symbol_key" nvarchar(64) not null, "checksum"
    nvarchar(64) not null, "blob_id" bigint not null)`,
  `create index "nuget_symbol_files_symbol_key_file_name_index" on "nuget_symbol_files"
    ("symbol_key", "file_name")`,
  'create index "nuget_symbol_files_blob_id_index" on "nuget_symbol_files" ("blob_id")',
  `create table "oci_gc_runs" ("id" nvarchar(36) not null, "surface" nvarchar(255) not null,
    "dry_run" bit not null, "reviewed" nvarchar(36) null, "state" nvarchar(16) not null,
    "unused_since" datetime2(3) not null, "started_at" datetime2(3) not null,
    "finished_at" datetime2(3) null, "removed_count" bigint not null, "removed_bytes"
    bigint not null, "error" nvarchar(max) null, constraint "oci_gc_runs_pkey" primary key
    ("id"))`,
  'create index "oci_gc_runs_started_at_index" on "oci_gc_runs" ("started_at")',
  `create table "oci_gc_candidates" ("id" bigint identity(1,1) not null constraint
    "oci_gc_candidates_pkey" primary key, "run_id" nvarchar(36) not null, "kind"
    nvarchar(16) not null, "repository" nvarchar(255) not null, "digest" nvarchar(135) not
    null, "size" bigint not null, "reason" nvarchar(16) not null, "last_used_at"
    datetime2(3) not null)`,
  `create unique index "oci_gc_candidates_run_id_kind_repository_digest_unique" on
    "oci_gc_candidates" ("run_id", "kind", "repository", "digest")`,
  `create table "oci_holds" ("digest" nvarchar(135) not null, "holder" nvarchar(255) not
    null, "held_until" datetime2(3) null, constraint "oci_holds_pkey" primary key
    ("digest", "holder"))`,
  'create index "oci_holds_holder_index" on "oci_holds" ("holder")',
  `create table "oci_repositories" ("id" bigint identity(1,1) not null constraint
    "oci_repositories_pkey" primary key, "name" nvarchar(255) not null, "created_at"
    datetime2(3) not null, "pulls" bigint not null)`,
  'create unique index "oci_repositories_name_unique" on "oci_repositories" ("name")',
  `create table "oci_manifests" ("id" bigint identity(1,1) not null constraint
    "oci_manifests_pkey" primary key, "repository_id" bigint not null, "digest"
    nvarchar(135) not null, "media_type" nvarchar(max) not null, "size" bigint not null,
    "bytes" varbinary(max) not null, "subject" nvarchar(135) null, "artifact_type"
    nvarchar(max) null, "annotations" nvarchar(max) null, "pushed_at" datetime2(3) not
    null, "touched_at" datetime2(3) not null, "deleted_at" datetime2(3) null)`,
  `create index "oci_manifests_repository_id_subject_id_index" on "oci_manifests"
    ("repository_id", "subject", "id")`,
  `create unique index "oci_manifests_repository_id_digest_unique" on "oci_manifests"
    ("repository_id", "digest")`,
  `create table "oci_manifest_edges" ("manifest_id" bigint not null, "kind" nvarchar(16) not
    null, "child" nvarchar(135) not null, "repository_id" bigint not null, "size" bigint
    not null, constraint "oci_manifest_edges_pkey" primary key ("manifest_id", "kind",
    "child"))`,
  `create index "oci_manifest_edges_repository_id_child_index" on "oci_manifest_edges"
    ("repository_id", "child")`,
  `create table "oci_repository_blobs" ("repository_id" bigint not null, "blob_id" bigint not
    null, "linked_at" datetime2(3) not null, constraint "oci_repository_blobs_pkey"
    primary key ("repository_id", "blob_id"))`,
  'create index "oci_repository_blobs_blob_id_index" on "oci_repository_blobs" ("blob_id")',
  `create index "oci_repository_blobs_repository_id_linked_at_index" on
    "oci_repository_blobs" ("repository_id", "linked_at")`,
  `create table "oci_tags" ("repository_id" bigint not null, "tag" nvarchar(128) not null,
    "manifest_id" bigint not null, "subject" nvarchar(135) null, "updated_at" datetime2(3)
    not null, "pulled_at" datetime2(3) null, constraint "oci_tags_pkey" primary key
    ("repository_id", "tag"))`,
  'create index "oci_tags_updated_at_index" on "oci_tags" ("updated_at")',
  'create index "oci_tags_manifest_id_index" on "oci_tags" ("manifest_id")',
  `create index "oci_tags_repository_id_subject_index" on "oci_tags" ("repository_id",
    "subject")`,
  `create table "oci_uploads" ("id" nvarchar(64) not null, "repository" nvarchar(255) not
    null, "owner" nvarchar(255) not null, "received" bigint not null, "algorithm"
    nvarchar(16) null, "bytes" varbinary(max) null, "writer" nvarchar(128) null,
    "claimed_until" datetime2(3) null, "created_at" datetime2(3) not null, "updated_at"
    datetime2(3) not null, constraint "oci_uploads_pkey" primary key ("id"))`,
  'create index "oci_uploads_updated_at_index" on "oci_uploads" ("updated_at")',
  `create table "ownerships" ("protocol" nvarchar(16) not null, "name_key" nvarchar(255) not
    null, "owner_id" nvarchar(36) not null, "owner_kind" nvarchar(16) not null, "level"
    nvarchar(16) not null, "created_at" datetime2(3) not null, "created_by" nvarchar(255)
    not null, constraint "ownerships_pkey" primary key ("protocol", "name_key",
    "owner_id"))`,
  'create index "ownerships_owner_id_index" on "ownerships" ("owner_id")',
  `create table "owner_transfers" ("id" nvarchar(36) not null, "protocol" nvarchar(16) not
    null, "name_key" nvarchar(255) not null, "from_id" nvarchar(36) null, "to_id"
    nvarchar(36) not null, "level" nvarchar(16) not null, "created_at" datetime2(3) not
    null, "created_by" nvarchar(255) not null, "expires_at" datetime2(3) not null,
    "decided_at" datetime2(3) null, "decision" nvarchar(16) null, "decided_by"
    nvarchar(255) null, "maker_id" nvarchar(36) null, constraint "owner_transfers_pkey"
    primary key ("id"))`,
  'create index "owner_transfers_to_id_index" on "owner_transfers" ("to_id")',
  'create index "owner_transfers_expires_at_index" on "owner_transfers" ("expires_at")',
  `create index "owner_transfers_protocol_name_key_index" on "owner_transfers" ("protocol",
    "name_key")`,
  `create table "parked_events" ("id" bigint identity(1,1) not null constraint
    "parked_events_pkey" primary key, "consumer" nvarchar(64) not null, "event_id" bigint
    not null, "type" nvarchar(64) not null, "subject" nvarchar(512) not null, "actor"
    nvarchar(255) not null, "token_id" nvarchar(64) null, "address" nvarchar(64) null,
    "request_id" nvarchar(128) null, "detail" nvarchar(max) null, "at" datetime2(3) not
    null, "attempts" bigint not null, "next_at" datetime2(3) null, "error" nvarchar(max)
    not null, "parked_at" datetime2(3) not null)`,
  `create unique index "parked_events_consumer_event_id_unique" on "parked_events"
    ("consumer", "event_id")`,
  `create table "registry_identity" ("id" int not null, "registry_id" nvarchar(36) not null,
    "known_organization" nvarchar(255) null, constraint "registry_identity_pkey" primary
    key ("id"))`,
  `create table "release_items" ("id" nvarchar(64) not null, "release_id" nvarchar(36) not
    null, "position" int not null, "target" nvarchar(64) not null, "member" nvarchar(max)
    not null, "state" nvarchar(24) not null, "found_before" nvarchar(max) null,
    "was_there" bit not null, "attempts" int not null, "next_at" datetime2(3) null,
    "pending_since" datetime2(3) null, "stage_id" nvarchar(255) null, "note" nvarchar(max)
    null, "served" nvarchar(max) null, constraint "release_items_pkey" primary key ("id"))`,
  'create index "release_items_release_id_index" on "release_items" ("release_id")',
  `create table "release_lanes" ("place" nvarchar(64) not null, "release_id" nvarchar(36) not
    null, constraint "release_lanes_pkey" primary key ("place"))`,
  'create index "release_lanes_release_id_index" on "release_lanes" ("release_id")',
  `create table "nuget_replaced_seals" ("id" bigint identity(1,1) not null constraint
    "nuget_replaced_seals_pkey" primary key, "version_id" bigint not null, "plan"
    varbinary(max) null, "fingerprint" nvarchar(64) not null, "size" bigint not null,
    "signed_at" datetime2(3) not null, "replaced_at" datetime2(3) not null, "sha256"
    nvarchar(64) null, "sha512" nvarchar(88) null)`,
  `create index "nuget_replaced_seals_version_id_index" on "nuget_replaced_seals"
    ("version_id")`,
  `create table "reserved_names" ("id" bigint identity(1,1) not null constraint
    "reserved_names_pkey" primary key, "protocol" nvarchar(16) not null, "pattern"
    nvarchar(255) not null, "is_prefix" bit not null, "owner_id" nvarchar(36) not null,
    "owner_kind" nvarchar(16) not null, "shared" bit not null, "delegated_from"
    nvarchar(36) null, "created_at" datetime2(3) not null, "created_by" nvarchar(255) not
    null)`,
  'create index "reserved_names_owner_id_index" on "reserved_names" ("owner_id")',
  `create unique index "reserved_names_protocol_pattern_owner_id_unique" on "reserved_names"
    ("protocol", "pattern", "owner_id")`,
  `create table "schema_level" ("id" int not null, "required" nvarchar(128) not null,
    constraint "schema_level_pkey" primary key ("id"))`,
  `create table "signing_certificates" ("fingerprint" nvarchar(64) not null, "subject"
    nvarchar(max) not null, "issuer" nvarchar(max) not null, "not_before" datetime2(3) not
    null, "not_after" datetime2(3) not null, "listed_at" datetime2(3) not null,
    "first_used_at" datetime2(3) not null, "last_used_at" datetime2(3) not null, "active"
    bit not null, "der" varbinary(max) not null, constraint "signing_certificates_pkey"
    primary key ("fingerprint"))`,
  `create table "source_states" ("key" nvarchar(64) not null, "last_success_at" datetime2(3)
    null, "last_error_at" datetime2(3) null, "last_error" nvarchar(max) null,
    "paused_until" datetime2(3) null, constraint "source_states_pkey" primary key ("key"))`,
  `create table "staged_versions" ("id" nvarchar(36) not null, "protocol" nvarchar(16) not
    null, "name" nvarchar(255) not null, "version" nvarchar(256) not null, "summary"
    nvarchar(max) not null, "details" nvarchar(max) not null, "actor" nvarchar(255) not
    null, "created_at" datetime2(3) not null, "expires_at" datetime2(3) not null,
    "blob_id" bigint not null, constraint "staged_versions_pkey" primary key ("id"))`,
  'create index "staged_versions_blob_id_index" on "staged_versions" ("blob_id")',
  'create index "staged_versions_expires_at_index" on "staged_versions" ("expires_at")',
  `create unique index "staged_versions_protocol_name_version_unique" on "staged_versions"
    ("protocol", "name", "version")`,
  `create table "package_groups" ("key" nvarchar(64) not null, "name" nvarchar(64) not null,
    "definition" nvarchar(max) not null, "changed_at" datetime2(3) not null, constraint
    "package_groups_pkey" primary key ("key"))`,
  `create table "policy_rules" ("id" nvarchar(36) not null, "effect" nvarchar(16) not null,
    "protocol" nvarchar(16) not null, "pattern" nvarchar(256) not null, "versions"
    nvarchar(max) not null, "conditions" nvarchar(max) not null, "reason" nvarchar(max)
    not null, "created_by" nvarchar(max) not null, "created_at" datetime2(3) not null,
    "expires_at" datetime2(3) null, constraint "policy_rules_pkey" primary key ("id"))`,
  `create table "releases" ("id" nvarchar(36) not null, "number" int not null, "group_key"
    nvarchar(64) not null, "group_name" nvarchar(64) not null, "kind" nvarchar(16) not
    null, "state" nvarchar(16) not null, "request_key" nvarchar(128) not null,
    "active_key" nvarchar(128) not null, "lane" nvarchar(64) not null, "targets"
    nvarchar(max) not null, "actor" nvarchar(max) not null, "token_id" nvarchar(64) null,
    "created_at" datetime2(3) not null, "frozen_at" datetime2(3) null, "pivot_at"
    datetime2(3) null, "attempts_since" datetime2(3) not null, "ended_at" datetime2(3)
    null, "next_at" datetime2(3) null, "reason" nvarchar(max) null, "statement"
    nvarchar(max) null, "statement_digest" nvarchar(64) null, "outcome" nvarchar(max)
    null, constraint "releases_pkey" primary key ("id"))`,
  'create unique index "releases_request_key_unique" on "releases" ("request_key")',
  'create unique index "releases_active_key_unique" on "releases" ("active_key")',
  'create index "releases_group_key_number_index" on "releases" ("group_key", "number")',
  'create index "releases_ended_at_created_at_index" on "releases" ("ended_at", "created_at")',
  'create index "releases_lane_ended_at_index" on "releases" ("lane", "ended_at")',
  `create table "package_sources" ("key" nvarchar(64) not null, "name" nvarchar(64) not null,
    "protocol" nvarchar(16) not null, "url" nvarchar(max) not null, "type" nvarchar(16)
    not null, "priority" int not null, "surface" nvarchar(64) null, "strategy"
    nvarchar(16) not null, "signature_policy" nvarchar(16) not null, "enabled" bit not
    null, "credentials" varbinary(max) null, "settings" nvarchar(max) not null,
    "changed_at" datetime2(3) not null, constraint "package_sources_pkey" primary key
    ("key"))`,
  `create table "syndications" ("key" nvarchar(64) not null, "name" nvarchar(64) not null,
    "definition" nvarchar(max) not null, "enabled" bit not null, "changed_at" datetime2(3)
    not null, constraint "syndications_pkey" primary key ("key"))`,
  `create table "publish_targets" ("key" nvarchar(64) not null, "name" nvarchar(64) not null,
    "protocol" nvarchar(16) not null, "endpoint" nvarchar(max) not null, "credentials"
    varbinary(max) null, "expires_at" datetime2(3) null, "paused_at" datetime2(3) null,
    "pause_reason" nvarchar(max) null, "options" nvarchar(max) not null, "changed_at"
    datetime2(3) not null, constraint "publish_targets_pkey" primary key ("key"))`,
  `create table "upstream_certificates" ("fingerprint" nvarchar(64) not null, "subject"
    nvarchar(max) not null, "issuer" nvarchar(max) not null, "not_before" datetime2(3) not
    null, "not_after" datetime2(3) not null, "seen_at" datetime2(3) not null, "der"
    varbinary(max) not null, constraint "upstream_certificates_pkey" primary key
    ("fingerprint"))`,
  `create table "upstream_documents" ("document_key" nvarchar(400) not null, "source_hash"
    nvarchar(64) not null, "status" nvarchar(16) not null, "revision" nvarchar(64) not
    null, "etag" nvarchar(max) null, "last_modified" nvarchar(max) null, "checked_at"
    datetime2(3) not null, "gone_since" datetime2(3) null, "content" varbinary(max) null,
    constraint "upstream_documents_pkey" primary key ("document_key"))`,
  `create index "upstream_documents_status_checked_at_index" on "upstream_documents"
    ("status", "checked_at")`,
  `create index "upstream_documents_source_hash_index" on "upstream_documents"
    ("source_hash")`,
  `create table "webhooks" ("id" nvarchar(36) not null, "url" nvarchar(max) not null,
    "events" nvarchar(max) not null, "format" nvarchar(16) not null, "origin" nvarchar(16)
    not null, "enabled" bit not null, "includes" nvarchar(16) null, "reason" nvarchar(max)
    null, "secret" varbinary(max) null, "former_secret" varbinary(max) null,
    "former_ends_at" datetime2(3) null, "created_at" datetime2(3) not null, constraint
    "webhooks_pkey" primary key ("id"))`,
  `create table "webhook_deliveries" ("id" bigint identity(1,1) not null constraint
    "webhook_deliveries_pkey" primary key, "webhook_id" nvarchar(36) not null, "event_id"
    bigint not null, "type" nvarchar(64) not null, "subject" nvarchar(512) not null,
    "names" nvarchar(max) not null, "order_key" nvarchar(64) not null, "body"
    nvarchar(max) not null, "state" nvarchar(16) not null, "attempts" bigint not null,
    "next_at" datetime2(3) null, "log" nvarchar(max) not null, "created_at" datetime2(3)
    not null, "done_at" datetime2(3) null)`,
  `create index "webhook_deliveries_webhook_id_state_event_id_index" on "webhook_deliveries"
    ("webhook_id", "state", "event_id")`,
  `create index "webhook_deliveries_state_next_at_index" on "webhook_deliveries" ("state",
    "next_at")`,
  `create index "webhook_deliveries_webhook_id_order_key_event_id_index" on
    "webhook_deliveries" ("webhook_id", "order_key", "event_id")`,
  `create index "webhook_deliveries_webhook_id_state_next_at_index" on "webhook_deliveries"
    ("webhook_id", "state", "next_at")`,
  `create unique index "webhook_deliveries_webhook_id_event_id_unique" on
    "webhook_deliveries" ("webhook_id", "event_id")`,
  `alter table "blob_contents" add constraint "blob_contents_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on update no action on delete cascade`,
  `alter table "held_contents" add constraint "held_contents_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on update no action on delete no action`,
  `alter table "kept_contents" add constraint "kept_contents_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on update no action on delete no action`,
  `alter table "npm_dependencies" add constraint "npm_dependencies_package_id_foreign"
    foreign key ("package_id") references "npm_packages" ("id") on update no action on
    delete cascade`,
  `alter table "npm_versions" add constraint "npm_versions_package_id_foreign" foreign key
    ("package_id") references "npm_packages" ("id") on update no action on delete no
    action`,
  `alter table "npm_versions" add constraint "npm_versions_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on update no action on delete no action`,
  `alter table "npm_tags" add constraint "npm_tags_package_id_foreign" foreign key
    ("package_id") references "npm_packages" ("id") on update no action on delete no
    action`,
  `alter table "npm_tags" add constraint "npm_tags_version_id_foreign" foreign key
    ("version_id") references "npm_versions" ("id") on update no action on delete no
    action`,
  `alter table "npm_attestations" add constraint "npm_attestations_version_id_foreign"
    foreign key ("version_id") references "npm_versions" ("id") on update no action on
    delete cascade`,
  `alter table "nuget_versions" add constraint "nuget_versions_package_id_foreign" foreign
    key ("package_id") references "nuget_packages" ("id") on update no action on delete no
    action`,
  `alter table "nuget_versions" add constraint "nuget_versions_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on update no action on delete no action`,
  `alter table "nuget_symbol_packages" add constraint
    "nuget_symbol_packages_version_id_foreign" foreign key ("version_id") references
    "nuget_versions" ("id") on update no action on delete no action`,
  `alter table "nuget_symbol_packages" add constraint "nuget_symbol_packages_blob_id_foreign"
    foreign key ("blob_id") references "blobs" ("id") on update no action on delete no
    action`,
  `alter table "nuget_symbol_files" add constraint
    "nuget_symbol_files_symbol_package_id_foreign" foreign key ("symbol_package_id")
    references "nuget_symbol_packages" ("id") on update no action on delete no action`,
  `alter table "nuget_symbol_files" add constraint "nuget_symbol_files_blob_id_foreign"
    foreign key ("blob_id") references "blobs" ("id") on update no action on delete no
    action`,
  `alter table "oci_gc_candidates" add constraint "oci_gc_candidates_run_id_foreign" foreign
    key ("run_id") references "oci_gc_runs" ("id") on update no action on delete cascade`,
  `alter table "oci_manifests" add constraint "oci_manifests_repository_id_foreign" foreign
    key ("repository_id") references "oci_repositories" ("id") on update no action on
    delete no action`,
  `alter table "oci_manifest_edges" add constraint "oci_manifest_edges_manifest_id_foreign"
    foreign key ("manifest_id") references "oci_manifests" ("id") on update no action on
    delete cascade`,
  `alter table "oci_manifest_edges" add constraint "oci_manifest_edges_repository_id_foreign"
    foreign key ("repository_id") references "oci_repositories" ("id") on update no action
    on delete no action`,
  `alter table "oci_repository_blobs" add constraint
    "oci_repository_blobs_repository_id_foreign" foreign key ("repository_id") references
    "oci_repositories" ("id") on update no action on delete no action`,
  `alter table "oci_repository_blobs" add constraint "oci_repository_blobs_blob_id_foreign"
    foreign key ("blob_id") references "blobs" ("id") on update no action on delete no
    action`,
  `alter table "oci_tags" add constraint "oci_tags_repository_id_foreign" foreign key
    ("repository_id") references "oci_repositories" ("id") on update no action on delete
    no action`,
  `alter table "oci_tags" add constraint "oci_tags_manifest_id_foreign" foreign key
    ("manifest_id") references "oci_manifests" ("id") on update no action on delete no
    action`,
  `alter table "nuget_replaced_seals" add constraint
    "nuget_replaced_seals_version_id_foreign" foreign key ("version_id") references
    "nuget_versions" ("id") on update no action on delete no action`,
  `alter table "staged_versions" add constraint "staged_versions_blob_id_foreign" foreign key
    ("blob_id") references "blobs" ("id") on update no action on delete no action`,
];

export const IDENTITY: readonly string[] = [
  `create table "host_external_identities" ("issuer" nvarchar(160) not null, "subject"
    nvarchar(255) not null, "user_id" nvarchar(36) not null, "shown" nvarchar(max) not
    null, "sealed_grant" varbinary(max) null, "outcome" nvarchar(16) not null,
    "checked_at" datetime2(3) not null, "claimed_until" datetime2(3) null, constraint
    "host_external_identities_pkey" primary key ("issuer", "subject"))`,
  `create index "host_external_identities_user_id_index" on "host_external_identities"
    ("user_id")`,
  `create index "host_external_identities_checked_at_index" on "host_external_identities"
    ("checked_at")`,
  `create table "host_challenges" ("hash" nvarchar(64) not null, "session_hash" nvarchar(64)
    not null, "user_id" nvarchar(36) not null, "purpose" nvarchar(32) not null, "subject"
    nvarchar(max) null, "created_at" datetime2(3) not null, "expires_at" datetime2(3) not
    null, constraint "host_challenges_pkey" primary key ("hash"))`,
  'create index "host_challenges_expires_at_index" on "host_challenges" ("expires_at")',
  `create table "host_confirmations" ("hash" nvarchar(64) not null, "session_hash"
    nvarchar(64) not null, "action" nvarchar(32) not null, "subject" nvarchar(max) not
    null, "path" nvarchar(max) not null, "back_path" nvarchar(max) not null, "sealed_form"
    varbinary(max) not null, "created_at" datetime2(3) not null, "expires_at" datetime2(3)
    not null, "confirmed_at" datetime2(3) null, constraint "host_confirmations_pkey"
    primary key ("hash"))`,
  `create index "host_confirmations_session_hash_index" on "host_confirmations"
    ("session_hash")`,
  'create index "host_confirmations_expires_at_index" on "host_confirmations" ("expires_at")',
  `create table "host_passkeys" ("credential_hash" nvarchar(64) not null, "credential_id"
    nvarchar(max) not null, "user_id" nvarchar(36) not null, "rp_id" nvarchar(255) not
    null, "public_key" varbinary(max) not null, "counter" bigint not null, "backed_up" bit
    not null, "transports" nvarchar(max) not null, "name" nvarchar(max) not null,
    "created_at" datetime2(3) not null, "used_at" datetime2(3) null, constraint
    "host_passkeys_pkey" primary key ("credential_hash"))`,
  'create index "host_passkeys_user_id_index" on "host_passkeys" ("user_id")',
  `create table "host_sessions" ("hash" nvarchar(64) not null, "previous_hash" nvarchar(64)
    null, "previous_ends_at" datetime2(3) null, "user_id" nvarchar(36) null, "token_id"
    nvarchar(36) null, "epoch" int not null, "created_at" datetime2(3) not null,
    "rotated_at" datetime2(3) not null, "seen_at" datetime2(3) not null, "idle_ends_at"
    datetime2(3) not null, "ends_at" datetime2(3) not null, "address" nvarchar(64) null,
    "agent" nvarchar(max) null, constraint "host_sessions_pkey" primary key ("hash"))`,
  'create index "host_sessions_previous_hash_index" on "host_sessions" ("previous_hash")',
  'create index "host_sessions_user_id_index" on "host_sessions" ("user_id")',
  'create index "host_sessions_token_id_index" on "host_sessions" ("token_id")',
  'create index "host_sessions_ends_at_index" on "host_sessions" ("ends_at")',
  `create table "host_teams" ("id" nvarchar(36) not null, "handle" nvarchar(39) not null,
    "display_name" nvarchar(max) not null, "group_ref" nvarchar(255) null, "created_at"
    datetime2(3) not null, constraint "host_teams_pkey" primary key ("id"))`,
  'create unique index "host_teams_handle_unique" on "host_teams" ("handle")',
  `create table "host_tokens" ("id" nvarchar(36) not null, "name" nvarchar(max) not null,
    "owner" nvarchar(255) null, "parent_id" nvarchar(36) null, "user_id" nvarchar(36)
    null, "service_account_id" nvarchar(36) null, "policy_id" nvarchar(36) null, "prefix"
    nvarchar(16) not null, "hash" nvarchar(64) not null, "scheme" int not null, "scopes"
    nvarchar(max) not null, "protocols" nvarchar(max) not null, "patterns" nvarchar(max)
    not null, "networks" nvarchar(max) not null, "created_at" datetime2(3) not null,
    "expires_at" datetime2(3) null, "revoked_at" datetime2(3) null, "last_used_at"
    datetime2(3) null, "last_used_from" nvarchar(64) null, "replaces" nvarchar(36) null,
    "leaked_at" datetime2(3) null, "noticed_days" int null, constraint "host_tokens_pkey"
    primary key ("id"))`,
  'create index "host_tokens_owner_index" on "host_tokens" ("owner")',
  'create index "host_tokens_parent_id_index" on "host_tokens" ("parent_id")',
  'create index "host_tokens_user_id_index" on "host_tokens" ("user_id")',
  `create index "host_tokens_service_account_id_index" on "host_tokens"
    ("service_account_id")`,
  'create index "host_tokens_policy_id_index" on "host_tokens" ("policy_id")',
  'create index "host_tokens_prefix_index" on "host_tokens" ("prefix")',
  `create table "host_users" ("id" nvarchar(36) not null, "handle" nvarchar(39) not null,
    "display_name" nvarchar(max) not null, "email" nvarchar(max) null, "role" nvarchar(16)
    not null, "role_source" nvarchar(16) not null, "state" nvarchar(16) not null, "reason"
    nvarchar(max) null, "blocked_from" nvarchar(16) null, "epoch" int not null,
    "created_at" datetime2(3) not null, "validated_at" datetime2(3) null,
    "last_sign_in_at" datetime2(3) null, "second_factor" nvarchar(16) null, constraint
    "host_users_pkey" primary key ("id"))`,
  'create unique index "host_users_handle_unique" on "host_users" ("handle")',
  `create index "host_users_state_validated_at_index" on "host_users" ("state",
    "validated_at")`,
  `create table "host_login_sessions" ("poll_hash" nvarchar(64) not null, "code" nvarchar(32)
    not null, "purpose" nvarchar(32) not null, "subject" nvarchar(max) null, "address"
    nvarchar(64) null, "created_at" datetime2(3) not null, "expires_at" datetime2(3) not
    null, "granted" nvarchar(max) null, "denied_at" datetime2(3) null, constraint
    "host_login_sessions_pkey" primary key ("poll_hash"))`,
  'create unique index "host_login_sessions_code_unique" on "host_login_sessions" ("code")',
  `create index "host_login_sessions_expires_at_index" on "host_login_sessions"
    ("expires_at")`,
  `create table "host_owner_names" ("name" nvarchar(39) not null, "kind" nvarchar(16) not
    null, "owner_id" nvarchar(36) not null, "created_at" datetime2(3) not null, constraint
    "host_owner_names_pkey" primary key ("name"))`,
  'create index "host_owner_names_owner_id_index" on "host_owner_names" ("owner_id")',
  `create table "host_publish_policies" ("id" nvarchar(36) not null, "provider" nvarchar(32)
    not null, "issuer" nvarchar(255) not null, "claims" nvarchar(max) not null, "pinned"
    nvarchar(max) null, "pin_ends_at" datetime2(3) null, "owner_id" nvarchar(36) null,
    "created_by" nvarchar(255) not null, "maker_id" nvarchar(36) null, "protocols"
    nvarchar(max) not null, "patterns" nvarchar(max) not null, "scopes" nvarchar(max) not
    null, "life_seconds" int not null, "may_create" bit not null, "events" nvarchar(max)
    not null, "fixed_audience" nvarchar(255) null, "state" nvarchar(16) not null,
    "created_at" datetime2(3) not null, "used_at" datetime2(3) null, constraint
    "host_publish_policies_pkey" primary key ("id"))`,
  'create index "host_publish_policies_issuer_index" on "host_publish_policies" ("issuer")',
  `create index "host_publish_policies_owner_id_index" on "host_publish_policies"
    ("owner_id")`,
  `create index "host_publish_policies_maker_id_index" on "host_publish_policies"
    ("maker_id")`,
  `create table "host_refresh_tokens" ("hash" nvarchar(64) not null, "token_id" nvarchar(36)
    not null, "client" nvarchar(255) not null, "created_at" datetime2(3) not null,
    "expires_at" datetime2(3) not null, "last_used_at" datetime2(3) null, constraint
    "host_refresh_tokens_pkey" primary key ("hash"))`,
  'create index "host_refresh_tokens_token_id_index" on "host_refresh_tokens" ("token_id")',
  `create index "host_refresh_tokens_expires_at_index" on "host_refresh_tokens"
    ("expires_at")`,
  `create table "host_service_accounts" ("id" nvarchar(36) not null, "name" nvarchar(64) not
    null, "team_id" nvarchar(36) null, "state" nvarchar(16) not null, "created_at"
    datetime2(3) not null, constraint "host_service_accounts_pkey" primary key ("id"))`,
  `create unique index "host_service_accounts_name_unique" on "host_service_accounts"
    ("name")`,
  'create index "host_service_accounts_team_id_index" on "host_service_accounts" ("team_id")',
  `create table "host_sign_in_failures" ("address" nvarchar(64) not null, "empty_ms" bigint
    not null, constraint "host_sign_in_failures_pkey" primary key ("address"))`,
  `create index "host_sign_in_failures_empty_ms_index" on "host_sign_in_failures"
    ("empty_ms")`,
  `create table "host_team_members" ("team_id" nvarchar(36) not null, "user_id" nvarchar(36)
    not null, "level" nvarchar(16) not null, "source" nvarchar(16) not null, "created_at"
    datetime2(3) not null, constraint "host_team_members_pkey" primary key ("team_id",
    "user_id"))`,
  'create index "host_team_members_user_id_index" on "host_team_members" ("user_id")',
  `create table "host_used_id_tokens" ("fingerprint" nvarchar(64) not null, "surface"
    nvarchar(16) not null, "subject" nvarchar(255) not null, "policy_id" nvarchar(36) not
    null, "token_id" nvarchar(36) not null, "ends_at" datetime2(3) not null, constraint
    "host_used_id_tokens_pkey" primary key ("fingerprint", "surface", "subject"))`,
  'create index "host_used_id_tokens_ends_at_index" on "host_used_id_tokens" ("ends_at")',
];
