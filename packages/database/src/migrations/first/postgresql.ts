// Generated: see create-migrations.ts.

export const CATALOG: readonly string[] = [
  `create table "audit_log" ("event_id" bigint not null, "type" varchar(64) not null,
    "subject" varchar(512) not null, "actor" varchar(255) not null, "token_id" varchar(64)
    null, "address" varchar(64) null, "request_id" varchar(128) null, "detail" text null,
    "at" timestamptz(3) not null, primary key ("event_id"))`,
  'create index "audit_log_at_index" on "audit_log" ("at")',
  `create table "blobs" ("id" bigserial primary key, "protocol" varchar(16) not null,
    "digest" varchar(135) not null, "size" bigint not null, "storage_key" varchar(255) not
    null, "state" varchar(16) not null, "touched_at" timestamptz(3) not null, "created_at"
    timestamptz(3) not null, "verified_at" timestamptz(3) null, "damaged_at"
    timestamptz(3) null)`,
  'alter table "blobs" add constraint "blobs_storage_key_unique" unique ("storage_key")',
  `create index "blobs_protocol_state_touched_at_index" on "blobs" ("protocol", "state",
    "touched_at")`,
  'create index "blobs_protocol_verified_at_index" on "blobs" ("protocol", "verified_at")',
  `alter table "blobs" add constraint "blobs_protocol_digest_unique" unique ("protocol",
    "digest")`,
  `create table "blob_contents" ("blob_id" bigint not null, "bytes" bytea not null, primary
    key ("blob_id"))`,
  `create table "completed_manifests" ("place" varchar(64) not null, "digest" varchar(135)
    not null, "completed_at" timestamptz(3) not null, primary key ("place", "digest"))`,
  `create table "documents" ("document_key" varchar(400) not null, "group_name" varchar(400)
    not null, "etag" text not null, "content_type" text not null, "modified_at"
    timestamptz(3) not null, "identity" bytea not null, "gzip" bytea null, "zstd" bytea
    null, primary key ("document_key"))`,
  'create index "documents_group_name_index" on "documents" ("group_name")',
  `create table "document_groups" ("name" varchar(400) not null, "revision" int not null,
    primary key ("name"))`,
  `create table "events" ("id" bigserial primary key, "type" varchar(64) not null, "subject"
    varchar(512) not null, "actor" varchar(255) not null, "token_id" varchar(64) null,
    "address" varchar(64) null, "request_id" varchar(128) null, "detail" text null, "at"
    timestamptz(3) not null)`,
  `create table "event_cursors" ("consumer" varchar(64) not null, "settled_id" bigint not
    null, primary key ("consumer"))`,
  `create table "event_deliveries" ("consumer" varchar(64) not null, "event_id" bigint not
    null, primary key ("consumer", "event_id"))`,
  `create table "first_seen_versions" ("version_key" varchar(64) not null, "seen_at"
    timestamptz(3) not null, primary key ("version_key"))`,
  `create table "held_contents" ("id" bigserial primary key, "release_id" varchar(36) not
    null, "protocol" varchar(16) not null, "name" varchar(255) not null, "item"
    varchar(256) not null, "content" text not null, "blob_id" bigint not null)`,
  'create index "held_contents_blob_id_index" on "held_contents" ("blob_id")',
  'create index "held_contents_release_id_index" on "held_contents" ("release_id")',
  'create index "held_contents_item" on "held_contents" ("protocol", "name", "item")',
  `create table "history" ("id" bigserial primary key, "protocol" varchar(16) not null,
    "name" varchar(255) not null, "kind" varchar(16) not null, "item" varchar(256) not
    null, "value" text not null, "valid_from" timestamptz(3) not null, "valid_to"
    timestamptz(3) not null)`,
  `alter table "history" add constraint "history_item" unique ("protocol", "name", "kind",
    "item", "valid_to")`,
  `create table "kept_contents" ("id" bigserial primary key, "protocol" varchar(16) not null,
    "name" varchar(255) not null, "item" varchar(256) not null, "value" text not null,
    "content" text not null, "lost_at" timestamptz(3) not null, "blob_id" bigint not null)`,
  'create index "kept_contents_blob_id_index" on "kept_contents" ("blob_id")',
  'create index "kept_contents_lost_at_index" on "kept_contents" ("lost_at")',
  'create index "kept_contents_item" on "kept_contents" ("protocol", "name", "item")',
  `create table "leases" ("name" varchar(255) not null, "holder" varchar(128) not null,
    "fence" bigint not null, "held_until" timestamptz(3) not null, primary key ("name"))`,
  `create table "lent_keys" ("release_id" varchar(36) not null, "target" varchar(64) not
    null, "name" varchar(255) not null, "sealed" bytea not null, "expires_at"
    timestamptz(3) not null, primary key ("release_id", "target", "name"))`,
  `create table "mails" ("id" bigserial primary key, "mail_key" varchar(64) not null,
    "template" varchar(32) not null, "recipient" text not null, "subject" text not null,
    "body" text not null, "state" varchar(16) not null, "attempts" bigint not null,
    "next_at" timestamptz(3) null, "error" text null, "created_at" timestamptz(3) not
    null, "done_at" timestamptz(3) null)`,
  'create index "mails_state_next_at_index" on "mails" ("state", "next_at")',
  'alter table "mails" add constraint "mails_mail_key_unique" unique ("mail_key")',
  `create table "name_origins" ("protocol" varchar(16) not null, "name" varchar(255) not
    null, "origin" varchar(16) not null, "source" varchar(64) null, "since" timestamptz(3)
    not null, primary key ("protocol", "name"))`,
  `create table "name_settings" ("protocol" varchar(16) not null, "name_key" varchar(255) not
    null, "visibility" varchar(16) null, "trusted_only" boolean not null, "changed_at"
    timestamptz(3) not null, primary key ("protocol", "name_key"))`,
  `create table "npm_advisories" ("id" bigserial primary key, "source" varchar(64) not null,
    "advisory_id" varchar(128) null, "name" varchar(214) not null, "severity" int not
    null, "title" text not null, "url" text not null, "versions" text not null, "cwe" text
    not null, "cvss" text null)`,
  'create index "npm_advisories_name_index" on "npm_advisories" ("name")',
  'create index "npm_advisories_source_index" on "npm_advisories" ("source")',
  `create table "npm_packages" ("id" bigserial primary key, "name" varchar(214) not null,
    "revision" int not null, "created_at" timestamptz(3) not null, "modified_at"
    timestamptz(3) not null, "readme" text null, "readme_filename" text null,
    "maintainers" text not null, "access" varchar(16) null)`,
  'alter table "npm_packages" add constraint "npm_packages_name_unique" unique ("name")',
  `create table "npm_dependencies" ("package_id" bigint not null, "dependency_name"
    varchar(214) not null, primary key ("package_id", "dependency_name"))`,
  `create index "npm_dependencies_dependency_name_index" on "npm_dependencies"
    ("dependency_name")`,
  `create table "npm_removed_names" ("name" varchar(214) not null, "removed_at"
    timestamptz(3) not null, "removed_by" varchar(255) not null, primary key ("name"))`,
  `create table "npm_signing_keys" ("key_id" varchar(64) not null, "public_key" text not
    null, "sealed_key" bytea null, "created_at" timestamptz(3) not null, "announced_at"
    timestamptz(3) null, "expires_at" timestamptz(3) null, primary key ("key_id"))`,
  `create table "npm_tombstones" ("name" varchar(214) not null, "version" varchar(256) not
    null, "integrity" varchar(255) not null, "published_at" timestamptz(3) not null,
    "removed_at" timestamptz(3) not null, "removed_by" varchar(255) not null, primary key
    ("name", "version"))`,
  `create table "npm_versions" ("id" bigserial primary key, "package_id" bigint not null,
    "version" varchar(256) not null, "manifest" text not null, "abbreviated" text not
    null, "integrity" varchar(255) not null, "shasum" varchar(40) not null, "file_count"
    int not null, "unpacked_size" bigint not null, "published_at" timestamptz(3) not null,
    "published_by" varchar(255) not null, "published_tags" text not null, "deprecated"
    text null, "signatures" text null, "dependency_names" text null, "description" text
    not null, "keywords" text not null, "search_text" text not null, "downloads" bigint
    not null, "blob_id" bigint not null)`,
  'create index "npm_versions_published_at_index" on "npm_versions" ("published_at")',
  'create index "npm_versions_blob_id_index" on "npm_versions" ("blob_id")',
  `alter table "npm_versions" add constraint "npm_versions_package_id_version_unique" unique
    ("package_id", "version")`,
  `create table "npm_tags" ("package_id" bigint not null, "tag" varchar(214) not null,
    "version_id" bigint not null, primary key ("package_id", "tag"))`,
  'create index "npm_tags_version_id_index" on "npm_tags" ("version_id")',
  `create table "npm_attestations" ("id" bigserial primary key, "version_id" bigint not null,
    "predicate_type" varchar(255) not null, "bundle" text not null, "created_at"
    timestamptz(3) not null)`,
  `alter table "npm_attestations" add constraint
    "npm_attestations_version_id_predicate_type_unique" unique ("version_id",
    "predicate_type")`,
  `create table "nuget_advisories" ("id" bigserial primary key, "source" varchar(64) not
    null, "page" varchar(16) not null, "advisory_id" varchar(128) null, "lower_id"
    varchar(128) not null, "severity" int not null, "url" text not null, "versions" text
    not null)`,
  'create index "nuget_advisories_lower_id_index" on "nuget_advisories" ("lower_id")',
  'create index "nuget_advisories_source_page_index" on "nuget_advisories" ("source", "page")',
  `create table "nuget_advisory_sources" ("name" varchar(64) not null, "base_at"
    timestamptz(3) not null, "updated_at" timestamptz(3) not null, "checked_at"
    timestamptz(3) not null, "state" text null, primary key ("name"))`,
  `create table "nuget_catalog_items" ("position" bigint not null, "event_id" bigint not
    null, "type" varchar(32) not null, "display_id" varchar(128) not null, "version"
    varchar(256) not null, "commit_id" varchar(36) not null, "commit_at" timestamptz(3)
    not null, "leaf" text not null, primary key ("position"))`,
  `alter table "nuget_catalog_items" add constraint "nuget_catalog_items_event_id_unique"
    unique ("event_id")`,
  `create index "nuget_catalog_items_display_id_index" on "nuget_catalog_items"
    ("display_id")`,
  `alter table "nuget_catalog_items" add constraint "nuget_catalog_items_commit_at_unique"
    unique ("commit_at")`,
  `create table "nuget_dependencies" ("package_id" bigint not null, "dependency_id"
    varchar(128) not null, primary key ("package_id", "dependency_id"))`,
  `create index "nuget_dependencies_dependency_id_index" on "nuget_dependencies"
    ("dependency_id")`,
  `create table "nuget_packages" ("id" bigserial primary key, "lower_id" varchar(128) not
    null, "display_id" varchar(128) not null, "created_at" timestamptz(3) not null,
    "downloads" bigint not null, "owners" text null, "newest_stable1" bigint null,
    "newest_any1" bigint null, "newest_stable2" bigint null, "newest_any2" bigint null)`,
  `alter table "nuget_packages" add constraint "nuget_packages_lower_id_unique" unique
    ("lower_id")`,
  'create index "nuget_packages_popular" on "nuget_packages" ("downloads" DESC, "lower_id")',
  `create table "nuget_search_entries" ("version_id" bigint not null, "package_id" bigint not
    null, "filters" text not null, "id_words" text not null, "id_parts" text not null,
    "title" text not null, "tags" text not null, "authors" text not null, "summary" text
    not null, "description" text not null, primary key ("version_id"))`,
  `create index "nuget_search_entries_package_id_index" on "nuget_search_entries"
    ("package_id")`,
  `create index "nuget_search_entries_version_id_package_id_index" on "nuget_search_entries"
    ("version_id", "package_id")`,
  `create table "nuget_tombstones" ("lower_id" varchar(128) not null, "lower_version"
    varchar(128) not null, "display_id" varchar(128) not null, "version" varchar(128) not
    null, "sha256" varchar(64) not null, "deleted_at" timestamptz(3) not null,
    "deleted_by" varchar(255) not null, primary key ("lower_id", "lower_version"))`,
  `create table "nuget_versions" ("id" bigserial primary key, "package_id" bigint not null,
    "lower_version" varchar(256) not null, "display_id" varchar(128) not null, "version"
    varchar(256) not null, "full_version" varchar(256) not null, "is_prerelease" boolean
    not null, "is_sem_ver2" boolean not null, "listed" boolean not null, "published_at"
    timestamptz(3) not null, "downloads" bigint not null, "downloaded_at" timestamptz(3)
    null, "size" bigint not null, "origin" varchar(16) not null, "published_by"
    varchar(255) not null, "deprecation" text null, "target_frameworks" text null,
    "dependency_ids" text null, "details" text not null, "nuspec" bytea not null, "sha512"
    varchar(88) not null, "content_hash" varchar(88) null, "blob_id" bigint not null,
    "seal_plan" bytea null, "seal_fingerprint" varchar(64) null, "seal_size" bigint null,
    "seal_signed_at" timestamptz(3) null, "seal_sha256" varchar(64) null, "seal_sha512"
    varchar(88) null)`,
  'create index "nuget_versions_published_at_index" on "nuget_versions" ("published_at")',
  `create index "nuget_versions_seal_fingerprint_index" on "nuget_versions"
    ("seal_fingerprint")`,
  'create index "nuget_versions_blob_id_index" on "nuget_versions" ("blob_id")',
  `create index "nuget_versions_shown" on "nuget_versions" ("package_id", "listed",
    "is_prerelease", "is_sem_ver2", "full_version", "downloads")`,
  `alter table "nuget_versions" add constraint
    "nuget_versions_package_id_lower_version_unique" unique ("package_id",
    "lower_version")`,
  `create table "nuget_symbol_packages" ("id" bigserial primary key, "version_id" bigint not
    null, "blob_id" bigint not null, "uploaded_at" timestamptz(3) not null, "uploaded_by"
    text not null)`,
  `alter table "nuget_symbol_packages" add constraint
    "nuget_symbol_packages_version_id_unique" unique ("version_id")`,
  'create index "nuget_symbol_packages_blob_id_index" on "nuget_symbol_packages" ("blob_id")',
  `create table "nuget_symbol_files" ("id" bigserial primary key, "symbol_package_id" bigint
    not null, "file_name" varchar(255) not null, "symbol_key" varchar(64) not null,
    "checksum" varchar(64) not null, "blob_id" bigint not null)`,
  `create index "nuget_symbol_files_symbol_key_file_name_index" on "nuget_symbol_files"
    ("symbol_key", "file_name")`,
  'create index "nuget_symbol_files_blob_id_index" on "nuget_symbol_files" ("blob_id")',
  `create table "oci_gc_runs" ("id" varchar(36) not null, "surface" varchar(255) not null,
    "dry_run" boolean not null, "reviewed" varchar(36) null, "state" varchar(16) not null,
    "unused_since" timestamptz(3) not null, "started_at" timestamptz(3) not null,
    "finished_at" timestamptz(3) null, "removed_count" bigint not null, "removed_bytes"
    bigint not null, "error" text null, primary key ("id"))`,
  'create index "oci_gc_runs_started_at_index" on "oci_gc_runs" ("started_at")',
  `create table "oci_gc_candidates" ("id" bigserial primary key, "run_id" varchar(36) not
    null, "kind" varchar(16) not null, "repository" varchar(255) not null, "digest"
    varchar(135) not null, "size" bigint not null, "reason" varchar(16) not null,
    "last_used_at" timestamptz(3) not null)`,
  `alter table "oci_gc_candidates" add constraint
    "oci_gc_candidates_run_id_kind_repository_digest_unique" unique ("run_id", "kind",
    "repository", "digest")`,
  `create table "oci_holds" ("digest" varchar(135) not null, "holder" varchar(255) not null,
    "held_until" timestamptz(3) null, primary key ("digest", "holder"))`,
  'create index "oci_holds_holder_index" on "oci_holds" ("holder")',
  `create table "oci_repositories" ("id" bigserial primary key, "name" varchar(255) not null,
    "created_at" timestamptz(3) not null, "pulls" bigint not null)`,
  `alter table "oci_repositories" add constraint "oci_repositories_name_unique" unique
    ("name")`,
  `create table "oci_manifests" ("id" bigserial primary key, "repository_id" bigint not null,
    "digest" varchar(135) not null, "media_type" text not null, "size" bigint not null,
    "bytes" bytea not null, "subject" varchar(135) null, "artifact_type" text null,
    "annotations" text null, "pushed_at" timestamptz(3) not null, "touched_at"
    timestamptz(3) not null, "deleted_at" timestamptz(3) null)`,
  `create index "oci_manifests_repository_id_subject_id_index" on "oci_manifests"
    ("repository_id", "subject", "id")`,
  `alter table "oci_manifests" add constraint "oci_manifests_repository_id_digest_unique"
    unique ("repository_id", "digest")`,
  `create table "oci_manifest_edges" ("manifest_id" bigint not null, "kind" varchar(16) not
    null, "child" varchar(135) not null, "repository_id" bigint not null, "size" bigint
    not null, primary key ("manifest_id", "kind", "child"))`,
  `create index "oci_manifest_edges_repository_id_child_index" on "oci_manifest_edges"
    ("repository_id", "child")`,
  `create table "oci_repository_blobs" ("repository_id" bigint not null, "blob_id" bigint not
    null, "linked_at" timestamptz(3) not null, primary key ("repository_id", "blob_id"))`,
  'create index "oci_repository_blobs_blob_id_index" on "oci_repository_blobs" ("blob_id")',
  `create index "oci_repository_blobs_repository_id_linked_at_index" on
    "oci_repository_blobs" ("repository_id", "linked_at")`,
  `create table "oci_tags" ("repository_id" bigint not null, "tag" varchar(128) not null,
    "manifest_id" bigint not null, "subject" varchar(135) null, "updated_at"
    timestamptz(3) not null, "pulled_at" timestamptz(3) null, primary key
    ("repository_id", "tag"))`,
  'create index "oci_tags_updated_at_index" on "oci_tags" ("updated_at")',
  'create index "oci_tags_manifest_id_index" on "oci_tags" ("manifest_id")',
  `create index "oci_tags_repository_id_subject_index" on "oci_tags" ("repository_id",
    "subject")`,
  `create table "oci_uploads" ("id" varchar(64) not null, "repository" varchar(255) not null,
    "owner" varchar(255) not null, "received" bigint not null, "algorithm" varchar(16)
    null, "bytes" bytea null, "writer" varchar(128) null, "claimed_until" timestamptz(3)
    null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null,
    primary key ("id"))`,
  'create index "oci_uploads_updated_at_index" on "oci_uploads" ("updated_at")',
  `create table "ownerships" ("protocol" varchar(16) not null, "name_key" varchar(255) not
    null, "owner_id" varchar(36) not null, "owner_kind" varchar(16) not null, "level"
    varchar(16) not null, "created_at" timestamptz(3) not null, "created_by" varchar(255)
    not null, primary key ("protocol", "name_key", "owner_id"))`,
  'create index "ownerships_owner_id_index" on "ownerships" ("owner_id")',
  `create table "owner_transfers" ("id" varchar(36) not null, "protocol" varchar(16) not
    null, "name_key" varchar(255) not null, "from_id" varchar(36) null, "to_id"
    varchar(36) not null, "level" varchar(16) not null, "created_at" timestamptz(3) not
    null, "created_by" varchar(255) not null, "expires_at" timestamptz(3) not null,
    "decided_at" timestamptz(3) null, "decision" varchar(16) null, "decided_by"
    varchar(255) null, "maker_id" varchar(36) null, primary key ("id"))`,
  'create index "owner_transfers_to_id_index" on "owner_transfers" ("to_id")',
  'create index "owner_transfers_expires_at_index" on "owner_transfers" ("expires_at")',
  `create index "owner_transfers_protocol_name_key_index" on "owner_transfers" ("protocol",
    "name_key")`,
  `create table "parked_events" ("id" bigserial primary key, "consumer" varchar(64) not null,
    "event_id" bigint not null, "type" varchar(64) not null, "subject" varchar(512) not
    null, "actor" varchar(255) not null, "token_id" varchar(64) null, "address"
    varchar(64) null, "request_id" varchar(128) null, "detail" text null, "at"
    timestamptz(3) not null, "attempts" bigint not null, "next_at" timestamptz(3) null,
    "error" text not null, "parked_at" timestamptz(3) not null)`,
  `alter table "parked_events" add constraint "parked_events_consumer_event_id_unique" unique
    ("consumer", "event_id")`,
  `create table "registry_identity" ("id" int not null, "registry_id" varchar(36) not null,
    "known_organization" varchar(255) null, primary key ("id"))`,
  `create table "release_items" ("id" varchar(64) not null, "release_id" varchar(36) not
    null, "position" int not null, "target" varchar(64) not null, "member" text not null,
    "state" varchar(24) not null, "found_before" text null, "was_there" boolean not null,
    "attempts" int not null, "next_at" timestamptz(3) null, "pending_since" timestamptz(3)
    null, "stage_id" varchar(255) null, "note" text null, "served" text null, primary key
    ("id"))`,
  'create index "release_items_release_id_index" on "release_items" ("release_id")',
  `create table "release_lanes" ("place" varchar(64) not null, "release_id" varchar(36) not
    null, primary key ("place"))`,
  'create index "release_lanes_release_id_index" on "release_lanes" ("release_id")',
  `create table "nuget_replaced_seals" ("id" bigserial primary key, "version_id" bigint not
    null, "plan" bytea null, "fingerprint" varchar(64) not null, "size" bigint not null,
    "signed_at" timestamptz(3) not null, "replaced_at" timestamptz(3) not null, "sha256"
    varchar(64) null, "sha512" varchar(88) null)`,
  `create index "nuget_replaced_seals_version_id_index" on "nuget_replaced_seals"
    ("version_id")`,
  `create table "reserved_names" ("id" bigserial primary key, "protocol" varchar(16) not
    null, "pattern" varchar(255) not null, "is_prefix" boolean not null, "owner_id"
    varchar(36) not null, "owner_kind" varchar(16) not null, "shared" boolean not null,
    "delegated_from" varchar(36) null, "created_at" timestamptz(3) not null, "created_by"
    varchar(255) not null)`,
  'create index "reserved_names_owner_id_index" on "reserved_names" ("owner_id")',
  `alter table "reserved_names" add constraint
    "reserved_names_protocol_pattern_owner_id_unique" unique ("protocol", "pattern",
    "owner_id")`,
  `create table "schema_level" ("id" int not null, "required" varchar(128) not null, primary
    key ("id"))`,
  `create table "signing_certificates" ("fingerprint" varchar(64) not null, "subject" text
    not null, "issuer" text not null, "not_before" timestamptz(3) not null, "not_after"
    timestamptz(3) not null, "listed_at" timestamptz(3) not null, "first_used_at"
    timestamptz(3) not null, "last_used_at" timestamptz(3) not null, "active" boolean not
    null, "der" bytea not null, primary key ("fingerprint"))`,
  `create table "source_states" ("key" varchar(64) not null, "last_success_at" timestamptz(3)
    null, "last_error_at" timestamptz(3) null, "last_error" text null, "paused_until"
    timestamptz(3) null, primary key ("key"))`,
  `create table "staged_versions" ("id" varchar(36) not null, "protocol" varchar(16) not
    null, "name" varchar(255) not null, "version" varchar(256) not null, "summary" text
    not null, "details" text not null, "actor" varchar(255) not null, "created_at"
    timestamptz(3) not null, "expires_at" timestamptz(3) not null, "blob_id" bigint not
    null, primary key ("id"))`,
  'create index "staged_versions_blob_id_index" on "staged_versions" ("blob_id")',
  'create index "staged_versions_expires_at_index" on "staged_versions" ("expires_at")',
  `alter table "staged_versions" add constraint
    "staged_versions_protocol_name_version_unique" unique ("protocol", "name", "version")`,
  `create table "package_groups" ("key" varchar(64) not null, "name" varchar(64) not null,
    "definition" text not null, "changed_at" timestamptz(3) not null, primary key ("key"))`,
  `create table "policy_rules" ("id" varchar(36) not null, "effect" varchar(16) not null,
    "protocol" varchar(16) not null, "pattern" varchar(256) not null, "versions" text not
    null, "conditions" text not null, "reason" text not null, "created_by" text not null,
    "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) null, primary key
    ("id"))`,
  `create table "releases" ("id" varchar(36) not null, "number" int not null, "group_key"
    varchar(64) not null, "group_name" varchar(64) not null, "kind" varchar(16) not null,
    "state" varchar(16) not null, "request_key" varchar(128) not null, "active_key"
    varchar(128) not null, "lane" varchar(64) not null, "targets" text not null, "actor"
    text not null, "token_id" varchar(64) null, "created_at" timestamptz(3) not null,
    "frozen_at" timestamptz(3) null, "pivot_at" timestamptz(3) null, "attempts_since"
    timestamptz(3) not null, "ended_at" timestamptz(3) null, "next_at" timestamptz(3)
    null, "reason" text null, "statement" text null, "statement_digest" varchar(64) null,
    "outcome" text null, primary key ("id"))`,
  'alter table "releases" add constraint "releases_request_key_unique" unique ("request_key")',
  'alter table "releases" add constraint "releases_active_key_unique" unique ("active_key")',
  'create index "releases_group_key_number_index" on "releases" ("group_key", "number")',
  'create index "releases_ended_at_created_at_index" on "releases" ("ended_at", "created_at")',
  'create index "releases_lane_ended_at_index" on "releases" ("lane", "ended_at")',
  `create table "package_sources" ("key" varchar(64) not null, "name" varchar(64) not null,
    "protocol" varchar(16) not null, "url" text not null, "type" varchar(16) not null,
    "priority" int not null, "surface" varchar(64) null, "strategy" varchar(16) not null,
    "signature_policy" varchar(16) not null, "enabled" boolean not null, "credentials"
    bytea null, "settings" text not null, "changed_at" timestamptz(3) not null, primary
    key ("key"))`,
  `create table "syndications" ("key" varchar(64) not null, "name" varchar(64) not null,
    "definition" text not null, "enabled" boolean not null, "changed_at" timestamptz(3)
    not null, primary key ("key"))`,
  `create table "publish_targets" ("key" varchar(64) not null, "name" varchar(64) not null,
    "protocol" varchar(16) not null, "endpoint" text not null, "credentials" bytea null,
    "expires_at" timestamptz(3) null, "paused_at" timestamptz(3) null, "pause_reason" text
    null, "options" text not null, "changed_at" timestamptz(3) not null, primary key
    ("key"))`,
  `create table "upstream_certificates" ("fingerprint" varchar(64) not null, "subject" text
    not null, "issuer" text not null, "not_before" timestamptz(3) not null, "not_after"
    timestamptz(3) not null, "seen_at" timestamptz(3) not null, "der" bytea not null,
    primary key ("fingerprint"))`,
  `create table "upstream_documents" ("document_key" varchar(400) not null, "source_hash"
    varchar(64) not null, "status" varchar(16) not null, "revision" varchar(64) not null,
    "etag" text null, "last_modified" text null, "checked_at" timestamptz(3) not null,
    "gone_since" timestamptz(3) null, "content" bytea null, primary key ("document_key"))`,
  `create index "upstream_documents_status_checked_at_index" on "upstream_documents"
    ("status", "checked_at")`,
  `create index "upstream_documents_source_hash_index" on "upstream_documents"
    ("source_hash")`,
  `create table "webhooks" ("id" varchar(36) not null, "url" text not null, "events" text not
    null, "format" varchar(16) not null, "origin" varchar(16) not null, "enabled" boolean
    not null, "includes" varchar(16) null, "reason" text null, "secret" bytea null,
    "former_secret" bytea null, "former_ends_at" timestamptz(3) null, "created_at"
    timestamptz(3) not null, primary key ("id"))`,
  `create table "webhook_deliveries" ("id" bigserial primary key, "webhook_id" varchar(36)
    not null, "event_id" bigint not null, "type" varchar(64) not null, "subject"
    varchar(512) not null, "names" text not null, "order_key" varchar(64) not null, "body"
    text not null, "state" varchar(16) not null, "attempts" bigint not null, "next_at"
    timestamptz(3) null, "log" text not null, "created_at" timestamptz(3) not null,
    "done_at" timestamptz(3) null)`,
  `create index "webhook_deliveries_webhook_id_state_event_id_index" on "webhook_deliveries"
    ("webhook_id", "state", "event_id")`,
  `create index "webhook_deliveries_state_next_at_index" on "webhook_deliveries" ("state",
    "next_at")`,
  `create index "webhook_deliveries_webhook_id_order_key_event_id_index" on
    "webhook_deliveries" ("webhook_id", "order_key", "event_id")`,
  `create index "webhook_deliveries_webhook_id_state_next_at_index" on "webhook_deliveries"
    ("webhook_id", "state", "next_at")`,
  `alter table "webhook_deliveries" add constraint
    "webhook_deliveries_webhook_id_event_id_unique" unique ("webhook_id", "event_id")`,
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
    varchar(255) not null, "user_id" varchar(36) not null, "shown" text not null,
    "sealed_grant" bytea null, "outcome" varchar(16) not null, "checked_at" timestamptz(3)
    not null, "claimed_until" timestamptz(3) null, primary key ("issuer", "subject"))`,
  `create index "host_external_identities_user_id_index" on "host_external_identities"
    ("user_id")`,
  `create index "host_external_identities_checked_at_index" on "host_external_identities"
    ("checked_at")`,
  `create table "host_challenges" ("hash" varchar(64) not null, "session_hash" varchar(64)
    not null, "user_id" varchar(36) not null, "purpose" varchar(32) not null, "subject"
    text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null,
    primary key ("hash"))`,
  'create index "host_challenges_expires_at_index" on "host_challenges" ("expires_at")',
  `create table "host_confirmations" ("hash" varchar(64) not null, "session_hash" varchar(64)
    not null, "action" varchar(32) not null, "subject" text not null, "path" text not
    null, "back_path" text not null, "sealed_form" bytea not null, "created_at"
    timestamptz(3) not null, "expires_at" timestamptz(3) not null, "confirmed_at"
    timestamptz(3) null, primary key ("hash"))`,
  `create index "host_confirmations_session_hash_index" on "host_confirmations"
    ("session_hash")`,
  'create index "host_confirmations_expires_at_index" on "host_confirmations" ("expires_at")',
  `create table "host_passkeys" ("credential_hash" varchar(64) not null, "credential_id" text
    not null, "user_id" varchar(36) not null, "rp_id" varchar(255) not null, "public_key"
    bytea not null, "counter" bigint not null, "backed_up" boolean not null, "transports"
    text not null, "name" text not null, "created_at" timestamptz(3) not null, "used_at"
    timestamptz(3) null, primary key ("credential_hash"))`,
  'create index "host_passkeys_user_id_index" on "host_passkeys" ("user_id")',
  `create table "host_sessions" ("hash" varchar(64) not null, "previous_hash" varchar(64)
    null, "previous_ends_at" timestamptz(3) null, "user_id" varchar(36) null, "token_id"
    varchar(36) null, "epoch" int not null, "created_at" timestamptz(3) not null,
    "rotated_at" timestamptz(3) not null, "seen_at" timestamptz(3) not null,
    "idle_ends_at" timestamptz(3) not null, "ends_at" timestamptz(3) not null, "address"
    varchar(64) null, "agent" text null, primary key ("hash"))`,
  'create index "host_sessions_previous_hash_index" on "host_sessions" ("previous_hash")',
  'create index "host_sessions_user_id_index" on "host_sessions" ("user_id")',
  'create index "host_sessions_token_id_index" on "host_sessions" ("token_id")',
  'create index "host_sessions_ends_at_index" on "host_sessions" ("ends_at")',
  `create table "host_teams" ("id" varchar(36) not null, "handle" varchar(39) not null,
    "display_name" text not null, "group_ref" varchar(255) null, "created_at"
    timestamptz(3) not null, primary key ("id"))`,
  'alter table "host_teams" add constraint "host_teams_handle_unique" unique ("handle")',
  `create table "host_tokens" ("id" varchar(36) not null, "name" text not null, "owner"
    varchar(255) null, "parent_id" varchar(36) null, "user_id" varchar(36) null,
    "service_account_id" varchar(36) null, "policy_id" varchar(36) null, "prefix"
    varchar(16) not null, "hash" varchar(64) not null, "scheme" int not null, "scopes"
    text not null, "protocols" text not null, "patterns" text not null, "networks" text
    not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) null,
    "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "last_used_from"
    varchar(64) null, "replaces" varchar(36) null, "leaked_at" timestamptz(3) null,
    "noticed_days" int null, primary key ("id"))`,
  'create index "host_tokens_owner_index" on "host_tokens" ("owner")',
  'create index "host_tokens_parent_id_index" on "host_tokens" ("parent_id")',
  'create index "host_tokens_user_id_index" on "host_tokens" ("user_id")',
  `create index "host_tokens_service_account_id_index" on "host_tokens"
    ("service_account_id")`,
  'create index "host_tokens_policy_id_index" on "host_tokens" ("policy_id")',
  'create index "host_tokens_prefix_index" on "host_tokens" ("prefix")',
  `create table "host_users" ("id" varchar(36) not null, "handle" varchar(39) not null,
    "display_name" text not null, "email" text null, "role" varchar(16) not null,
    "role_source" varchar(16) not null, "state" varchar(16) not null, "reason" text null,
    "blocked_from" varchar(16) null, "epoch" int not null, "created_at" timestamptz(3) not
    null, "validated_at" timestamptz(3) null, "last_sign_in_at" timestamptz(3) null,
    "second_factor" varchar(16) null, primary key ("id"))`,
  'alter table "host_users" add constraint "host_users_handle_unique" unique ("handle")',
  `create index "host_users_state_validated_at_index" on "host_users" ("state",
    "validated_at")`,
  `create table "host_login_sessions" ("poll_hash" varchar(64) not null, "code" varchar(32)
    not null, "purpose" varchar(32) not null, "subject" text null, "address" varchar(64)
    null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null,
    "granted" text null, "denied_at" timestamptz(3) null, primary key ("poll_hash"))`,
  `alter table "host_login_sessions" add constraint "host_login_sessions_code_unique" unique
    ("code")`,
  `create index "host_login_sessions_expires_at_index" on "host_login_sessions"
    ("expires_at")`,
  `create table "host_owner_names" ("name" varchar(39) not null, "kind" varchar(16) not null,
    "owner_id" varchar(36) not null, "created_at" timestamptz(3) not null, primary key
    ("name"))`,
  'create index "host_owner_names_owner_id_index" on "host_owner_names" ("owner_id")',
  `create table "host_publish_policies" ("id" varchar(36) not null, "provider" varchar(32)
    not null, "issuer" varchar(255) not null, "claims" text not null, "pinned" text null,
    "pin_ends_at" timestamptz(3) null, "owner_id" varchar(36) null, "created_by"
    varchar(255) not null, "maker_id" varchar(36) null, "protocols" text not null,
    "patterns" text not null, "scopes" text not null, "life_seconds" int not null,
    "may_create" boolean not null, "events" text not null, "fixed_audience" varchar(255)
    null, "state" varchar(16) not null, "created_at" timestamptz(3) not null, "used_at"
    timestamptz(3) null, primary key ("id"))`,
  'create index "host_publish_policies_issuer_index" on "host_publish_policies" ("issuer")',
  `create index "host_publish_policies_owner_id_index" on "host_publish_policies"
    ("owner_id")`,
  `create index "host_publish_policies_maker_id_index" on "host_publish_policies"
    ("maker_id")`,
  `create table "host_refresh_tokens" ("hash" varchar(64) not null, "token_id" varchar(36)
    not null, "client" varchar(255) not null, "created_at" timestamptz(3) not null,
    "expires_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key
    ("hash"))`,
  'create index "host_refresh_tokens_token_id_index" on "host_refresh_tokens" ("token_id")',
  `create index "host_refresh_tokens_expires_at_index" on "host_refresh_tokens"
    ("expires_at")`,
  `create table "host_service_accounts" ("id" varchar(36) not null, "name" varchar(64) not
    null, "team_id" varchar(36) null, "state" varchar(16) not null, "created_at"
    timestamptz(3) not null, primary key ("id"))`,
  `alter table "host_service_accounts" add constraint "host_service_accounts_name_unique"
    unique ("name")`,
  'create index "host_service_accounts_team_id_index" on "host_service_accounts" ("team_id")',
  `create table "host_sign_in_failures" ("address" varchar(64) not null, "empty_ms" bigint
    not null, primary key ("address"))`,
  `create index "host_sign_in_failures_empty_ms_index" on "host_sign_in_failures"
    ("empty_ms")`,
  `create table "host_team_members" ("team_id" varchar(36) not null, "user_id" varchar(36)
    not null, "level" varchar(16) not null, "source" varchar(16) not null, "created_at"
    timestamptz(3) not null, primary key ("team_id", "user_id"))`,
  'create index "host_team_members_user_id_index" on "host_team_members" ("user_id")',
  `create table "host_used_id_tokens" ("fingerprint" varchar(64) not null, "surface"
    varchar(16) not null, "subject" varchar(255) not null, "policy_id" varchar(36) not
    null, "token_id" varchar(36) not null, "ends_at" timestamptz(3) not null, primary key
    ("fingerprint", "surface", "subject"))`,
  'create index "host_used_id_tokens_ends_at_index" on "host_used_id_tokens" ("ends_at")',
];
