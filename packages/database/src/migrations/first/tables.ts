// Generated: see create-migrations.ts.
import { onEveryDatabase } from "../every-database.ts";

export const CATALOG = onEveryDatabase([
  `create table "audit_log" ("event_id" ref not null, "type" text(64) not null, "subject"
    text(512) not null, "actor" text(255) not null, "token_id" text(64) null, "address"
    text(64) null, "request_id" text(128) null, "detail" text null, "at" time not null,
    primary key ("event_id"))`,
  'create index "audit_log_at_index" on "audit_log" ("at")',
  `create table "blobs" ("id" serial primary key, "protocol" text(16) not null, "digest"
    text(135) not null, "size" big not null, "storage_key" text(255) not null, "state"
    text(16) not null, "touched_at" time not null, "created_at" time not null,
    "verified_at" time null, "damaged_at" time null)`,
  'create unique index "blobs_storage_key_unique" on "blobs" ("storage_key")',
  `create index "blobs_protocol_state_touched_at_index" on "blobs" ("protocol", "state",
    "touched_at")`,
  'create index "blobs_protocol_verified_at_index" on "blobs" ("protocol", "verified_at")',
  'create unique index "blobs_protocol_digest_unique" on "blobs" ("protocol", "digest")',
  `create table "blob_contents" ("blob_id" ref not null, "bytes" bytes not null, primary key
    ("blob_id"))`,
  `create table "completed_manifests" ("place" text(64) not null, "digest" text(135) not
    null, "completed_at" time not null, primary key ("place", "digest"))`,
  `create table "documents" ("document_key" text(400) not null, "group_name" text(400) not
    null, "etag" text not null, "content_type" text not null, "modified_at" time not null,
    "identity" bytes not null, "gzip" bytes null, "zstd" bytes null, primary key
    ("document_key"))`,
  'create index "documents_group_name_index" on "documents" ("group_name")',
  `create table "document_groups" ("name" text(400) not null, "revision" int not null,
    primary key ("name"))`,
  `create table "events" ("id" serial primary key, "type" text(64) not null, "subject"
    text(512) not null, "actor" text(255) not null, "token_id" text(64) null, "address"
    text(64) null, "request_id" text(128) null, "detail" text null, "at" time not null)`,
  `create table "event_cursors" ("consumer" text(64) not null, "settled_id" big not null,
    primary key ("consumer"))`,
  `create table "event_deliveries" ("consumer" text(64) not null, "event_id" ref not null,
    primary key ("consumer", "event_id"))`,
  `create table "first_seen_versions" ("version_key" text(64) not null, "seen_at" time not
    null, primary key ("version_key"))`,
  `create table "held_contents" ("id" serial primary key, "release_id" text(36) not null,
    "protocol" text(16) not null, "name" text(255) not null, "item" text(256) not null,
    "content" text not null, "blob_id" ref not null)`,
  'create index "held_contents_blob_id_index" on "held_contents" ("blob_id")',
  'create index "held_contents_release_id_index" on "held_contents" ("release_id")',
  'create index "held_contents_item" on "held_contents" ("protocol", "name", "item")',
  `create table "history" ("id" serial primary key, "protocol" text(16) not null, "name"
    text(255) not null, "kind" text(16) not null, "item" text(256) not null, "value" text
    not null, "valid_from" time not null, "valid_to" time not null)`,
  `create unique index "history_item" on "history" ("protocol", "name", "kind", "item",
    "valid_to")`,
  `create table "kept_contents" ("id" serial primary key, "protocol" text(16) not null,
    "name" text(255) not null, "item" text(256) not null, "value" text not null, "content"
    text not null, "lost_at" time not null, "blob_id" ref not null)`,
  'create index "kept_contents_blob_id_index" on "kept_contents" ("blob_id")',
  'create index "kept_contents_lost_at_index" on "kept_contents" ("lost_at")',
  'create index "kept_contents_item" on "kept_contents" ("protocol", "name", "item")',
  `create table "leases" ("name" text(255) not null, "holder" text(128) not null, "fence" big
    not null, "held_until" time not null, primary key ("name"))`,
  `create table "lent_keys" ("release_id" text(36) not null, "target" text(64) not null,
    "name" text(255) not null, "sealed" bytes not null, "expires_at" time not null,
    primary key ("release_id", "target", "name"))`,
  `create table "mails" ("id" serial primary key, "mail_key" text(64) not null, "template"
    text(32) not null, "recipient" text not null, "subject" text not null, "body" text not
    null, "state" text(16) not null, "attempts" big not null, "next_at" time null, "error"
    text null, "created_at" time not null, "done_at" time null)`,
  'create index "mails_state_next_at_index" on "mails" ("state", "next_at")',
  'create unique index "mails_mail_key_unique" on "mails" ("mail_key")',
  `create table "name_origins" ("protocol" text(16) not null, "name" text(255) not null,
    "origin" text(16) not null, "source" text(64) null, "since" time not null, primary key
    ("protocol", "name"))`,
  `create table "name_settings" ("protocol" text(16) not null, "name_key" text(255) not null,
    "visibility" text(16) null, "trusted_only" bool not null, "changed_at" time not null,
    primary key ("protocol", "name_key"))`,
  `create table "npm_advisories" ("id" serial primary key, "source" text(64) not null,
    "advisory_id" text(128) null, "name" text(214) not null, "severity" int not null,
    "title" text not null, "url" text not null, "versions" text not null, "cwe" text not
    null, "cvss" text null)`,
  'create index "npm_advisories_name_index" on "npm_advisories" ("name")',
  'create index "npm_advisories_source_index" on "npm_advisories" ("source")',
  `create table "npm_packages" ("id" serial primary key, "name" text(214) not null,
    "revision" int not null, "created_at" time not null, "modified_at" time not null,
    "readme" text null, "readme_filename" text null, "maintainers" text not null, "access"
    text(16) null)`,
  'create unique index "npm_packages_name_unique" on "npm_packages" ("name")',
  `create table "npm_dependencies" ("package_id" ref not null, "dependency_name" text(214)
    not null, primary key ("package_id", "dependency_name"))`,
  `create reference index "npm_dependencies_package_id_index" on "npm_dependencies"
    ("package_id")`,
  `create index "npm_dependencies_dependency_name_index" on "npm_dependencies"
    ("dependency_name")`,
  `create table "npm_removed_names" ("name" text(214) not null, "removed_at" time not null,
    "removed_by" text(255) not null, primary key ("name"))`,
  `create table "npm_signing_keys" ("key_id" text(64) not null, "public_key" text not null,
    "sealed_key" bytes null, "created_at" time not null, "announced_at" time null,
    "expires_at" time null, primary key ("key_id"))`,
  `create table "npm_tombstones" ("name" text(214) not null, "version" text(256) not null,
    "integrity" text(255) not null, "published_at" time not null, "removed_at" time not
    null, "removed_by" text(255) not null, primary key ("name", "version"))`,
  `create table "npm_versions" ("id" serial primary key, "package_id" ref not null, "version"
    text(256) not null, "manifest" text not null, "abbreviated" text not null, "integrity"
    text(255) not null, "shasum" text(40) not null, "file_count" int not null,
    "unpacked_size" big not null, "published_at" time not null, "published_by" text(255)
    not null, "published_tags" text not null, "deprecated" text null, "signatures" text
    null, "dependency_names" text null, "description" text not null, "keywords" text not
    null, "search_text" text not null, "downloads" big not null, "blob_id" ref not null)`,
  'create reference index "npm_versions_package_id_index" on "npm_versions" ("package_id")',
  'create index "npm_versions_published_at_index" on "npm_versions" ("published_at")',
  'create index "npm_versions_blob_id_index" on "npm_versions" ("blob_id")',
  `create unique index "npm_versions_package_id_version_unique" on "npm_versions"
    ("package_id", "version")`,
  `create table "npm_tags" ("package_id" ref not null, "tag" text(214) not null, "version_id"
    ref not null, primary key ("package_id", "tag"))`,
  'create reference index "npm_tags_package_id_index" on "npm_tags" ("package_id")',
  'create index "npm_tags_version_id_index" on "npm_tags" ("version_id")',
  `create table "npm_attestations" ("id" serial primary key, "version_id" ref not null,
    "predicate_type" text(255) not null, "bundle" text not null, "created_at" time not
    null)`,
  `create reference index "npm_attestations_version_id_index" on "npm_attestations"
    ("version_id")`,
  `create unique index "npm_attestations_version_id_predicate_type_unique" on
    "npm_attestations" ("version_id", "predicate_type")`,
  `create table "nuget_advisories" ("id" serial primary key, "source" text(64) not null,
    "page" text(16) not null, "advisory_id" text(128) null, "lower_id" text(128) not null,
    "severity" int not null, "url" text not null, "versions" text not null)`,
  'create index "nuget_advisories_lower_id_index" on "nuget_advisories" ("lower_id")',
  'create index "nuget_advisories_source_page_index" on "nuget_advisories" ("source", "page")',
  `create table "nuget_advisory_sources" ("name" text(64) not null, "base_at" time not null,
    "updated_at" time not null, "checked_at" time not null, "state" text null, primary key
    ("name"))`,
  `create table "nuget_catalog_items" ("position" ref not null, "event_id" big not null,
    "type" text(32) not null, "display_id" text(128) not null, "version" text(256) not
    null, "commit_id" text(36) not null, "commit_at" time not null, "leaf" text not null,
    primary key ("position"))`,
  `create unique index "nuget_catalog_items_event_id_unique" on "nuget_catalog_items"
    ("event_id")`,
  `create index "nuget_catalog_items_display_id_index" on "nuget_catalog_items"
    ("display_id")`,
  `create unique index "nuget_catalog_items_commit_at_unique" on "nuget_catalog_items"
    ("commit_at")`,
  `create table "nuget_dependencies" ("package_id" ref not null, "dependency_id" text(128)
    not null, primary key ("package_id", "dependency_id"))`,
  `create index "nuget_dependencies_dependency_id_index" on "nuget_dependencies"
    ("dependency_id")`,
  `create table "nuget_packages" ("id" serial primary key, "lower_id" text(128) not null,
    "display_id" text(128) not null, "created_at" time not null, "downloads" big not null,
    "owners" text null, "newest_stable1" big null, "newest_any1" big null,
    "newest_stable2" big null, "newest_any2" big null)`,
  'create unique index "nuget_packages_lower_id_unique" on "nuget_packages" ("lower_id")',
  'create index "nuget_packages_popular" on "nuget_packages" ("downloads" DESC, "lower_id")',
  `create table "nuget_search_entries" ("version_id" ref not null, "package_id" big not null,
    "filters" text not null, "id_words" text not null, "id_parts" text not null, "title"
    text not null, "tags" text not null, "authors" text not null, "summary" text not null,
    "description" text not null, primary key ("version_id"))`,
  `create index "nuget_search_entries_package_id_index" on "nuget_search_entries"
    ("package_id")`,
  `create index "nuget_search_entries_version_id_package_id_index" on "nuget_search_entries"
    ("version_id", "package_id")`,
  `create table "nuget_tombstones" ("lower_id" text(128) not null, "lower_version" text(128)
    not null, "display_id" text(128) not null, "version" text(128) not null, "sha256"
    text(64) not null, "deleted_at" time not null, "deleted_by" text(255) not null,
    primary key ("lower_id", "lower_version"))`,
  `create table "nuget_versions" ("id" serial primary key, "package_id" ref not null,
    "lower_version" text(256) not null, "display_id" text(128) not null, "version"
    text(256) not null, "full_version" text(256) not null, "is_prerelease" bool not null,
    "is_sem_ver2" bool not null, "listed" bool not null, "published_at" time not null,
    "downloads" big not null, "downloaded_at" time null, "size" big not null, "origin"
    text(16) not null, "published_by" text(255) not null, "deprecation" text null,
    "target_frameworks" text null, "dependency_ids" text null, "details" text not null,
    "nuspec" bytes not null, "sha512" text(88) not null, "content_hash" text(88) null,
    "blob_id" ref not null, "seal_plan" bytes null, "seal_fingerprint" text(64) null,
    "seal_size" big null, "seal_signed_at" time null, "seal_sha256" text(64) null,
    "seal_sha512" text(88) null)`,
  `create reference index "nuget_versions_package_id_index" on "nuget_versions"
    ("package_id")`,
  'create index "nuget_versions_published_at_index" on "nuget_versions" ("published_at")',
  `create index "nuget_versions_seal_fingerprint_index" on "nuget_versions"
    ("seal_fingerprint")`,
  'create index "nuget_versions_blob_id_index" on "nuget_versions" ("blob_id")',
  `create index "nuget_versions_shown" on "nuget_versions" ("package_id", "listed",
    "is_prerelease", "is_sem_ver2", "full_version", "downloads")`,
  `create unique index "nuget_versions_package_id_lower_version_unique" on "nuget_versions"
    ("package_id", "lower_version")`,
  `create table "nuget_symbol_packages" ("id" serial primary key, "version_id" ref not null,
    "blob_id" ref not null, "uploaded_at" time not null, "uploaded_by" text not null)`,
  `create reference index "nuget_symbol_packages_version_id_index" on "nuget_symbol_packages"
    ("version_id")`,
  `create unique index "nuget_symbol_packages_version_id_unique" on "nuget_symbol_packages"
    ("version_id")`,
  'create index "nuget_symbol_packages_blob_id_index" on "nuget_symbol_packages" ("blob_id")',
  `create table "nuget_symbol_files" ("id" serial primary key, "symbol_package_id" ref not
    null, "file_name" text(255) not null, "symbol_key" text(64) not null, "checksum"
    text(64) not null, "blob_id" ref not null)`,
  `create reference index "nuget_symbol_files_symbol_package_id_index" on
    "nuget_symbol_files" ("symbol_package_id")`,
  `create index "nuget_symbol_files_symbol_key_file_name_index" on "nuget_symbol_files"
    ("symbol_key", "file_name")`,
  'create index "nuget_symbol_files_blob_id_index" on "nuget_symbol_files" ("blob_id")',
  `create table "oci_gc_runs" ("id" text(36) not null, "surface" text(255) not null,
    "dry_run" bool not null, "reviewed" text(36) null, "state" text(16) not null,
    "unused_since" time not null, "started_at" time not null, "finished_at" time null,
    "removed_count" big not null, "removed_bytes" big not null, "error" text null, primary
    key ("id"))`,
  'create index "oci_gc_runs_started_at_index" on "oci_gc_runs" ("started_at")',
  `create table "oci_gc_candidates" ("id" serial primary key, "run_id" text(36) not null,
    "kind" text(16) not null, "repository" text(255) not null, "digest" text(135) not
    null, "size" big not null, "reason" text(16) not null, "last_used_at" time not null)`,
  'create reference index "oci_gc_candidates_run_id_index" on "oci_gc_candidates" ("run_id")',
  `create unique index "oci_gc_candidates_run_id_kind_repository_digest_unique" on
    "oci_gc_candidates" ("run_id", "kind", "repository", "digest")`,
  `create table "oci_holds" ("digest" text(135) not null, "holder" text(255) not null,
    "held_until" time null, primary key ("digest", "holder"))`,
  'create index "oci_holds_holder_index" on "oci_holds" ("holder")',
  `create table "oci_repositories" ("id" serial primary key, "name" text(255) not null,
    "created_at" time not null, "pulls" big not null)`,
  'create unique index "oci_repositories_name_unique" on "oci_repositories" ("name")',
  `create table "oci_manifests" ("id" serial primary key, "repository_id" ref not null,
    "digest" text(135) not null, "media_type" text not null, "size" big not null, "bytes"
    bytes not null, "subject" text(135) null, "artifact_type" text null, "annotations"
    text null, "pushed_at" time not null, "touched_at" time not null, "deleted_at" time
    null)`,
  `create reference index "oci_manifests_repository_id_index" on "oci_manifests"
    ("repository_id")`,
  `create index "oci_manifests_repository_id_subject_id_index" on "oci_manifests"
    ("repository_id", "subject", "id")`,
  `create unique index "oci_manifests_repository_id_digest_unique" on "oci_manifests"
    ("repository_id", "digest")`,
  `create table "oci_manifest_edges" ("manifest_id" ref not null, "kind" text(16) not null,
    "child" text(135) not null, "repository_id" ref not null, "size" big not null, primary
    key ("manifest_id", "kind", "child"))`,
  `create reference index "oci_manifest_edges_manifest_id_index" on "oci_manifest_edges"
    ("manifest_id")`,
  `create reference index "oci_manifest_edges_repository_id_index" on "oci_manifest_edges"
    ("repository_id")`,
  `create index "oci_manifest_edges_repository_id_child_index" on "oci_manifest_edges"
    ("repository_id", "child")`,
  `create table "oci_repository_blobs" ("repository_id" ref not null, "blob_id" ref not null,
    "linked_at" time not null, primary key ("repository_id", "blob_id"))`,
  `create reference index "oci_repository_blobs_repository_id_index" on
    "oci_repository_blobs" ("repository_id")`,
  'create index "oci_repository_blobs_blob_id_index" on "oci_repository_blobs" ("blob_id")',
  `create index "oci_repository_blobs_repository_id_linked_at_index" on
    "oci_repository_blobs" ("repository_id", "linked_at")`,
  `create table "oci_tags" ("repository_id" ref not null, "tag" text(128) not null,
    "manifest_id" ref not null, "subject" text(135) null, "updated_at" time not null,
    "pulled_at" time null, primary key ("repository_id", "tag"))`,
  'create reference index "oci_tags_repository_id_index" on "oci_tags" ("repository_id")',
  'create index "oci_tags_updated_at_index" on "oci_tags" ("updated_at")',
  'create index "oci_tags_manifest_id_index" on "oci_tags" ("manifest_id")',
  `create index "oci_tags_repository_id_subject_index" on "oci_tags" ("repository_id",
    "subject")`,
  `create table "oci_uploads" ("id" text(64) not null, "repository" text(255) not null,
    "owner" text(255) not null, "received" big not null, "algorithm" text(16) null,
    "bytes" bytes null, "writer" text(128) null, "claimed_until" time null, "created_at"
    time not null, "updated_at" time not null, primary key ("id"))`,
  'create index "oci_uploads_updated_at_index" on "oci_uploads" ("updated_at")',
  `create table "ownerships" ("protocol" text(16) not null, "name_key" text(255) not null,
    "owner_id" text(36) not null, "owner_kind" text(16) not null, "level" text(16) not
    null, "created_at" time not null, "created_by" text(255) not null, primary key
    ("protocol", "name_key", "owner_id"))`,
  'create index "ownerships_owner_id_index" on "ownerships" ("owner_id")',
  `create table "owner_transfers" ("id" text(36) not null, "protocol" text(16) not null,
    "name_key" text(255) not null, "from_id" text(36) null, "to_id" text(36) not null,
    "level" text(16) not null, "created_at" time not null, "created_by" text(255) not
    null, "expires_at" time not null, "decided_at" time null, "decision" text(16) null,
    "decided_by" text(255) null, "maker_id" text(36) null, primary key ("id"))`,
  'create index "owner_transfers_to_id_index" on "owner_transfers" ("to_id")',
  'create index "owner_transfers_expires_at_index" on "owner_transfers" ("expires_at")',
  `create index "owner_transfers_protocol_name_key_index" on "owner_transfers" ("protocol",
    "name_key")`,
  `create table "parked_events" ("id" serial primary key, "consumer" text(64) not null,
    "event_id" big not null, "type" text(64) not null, "subject" text(512) not null,
    "actor" text(255) not null, "token_id" text(64) null, "address" text(64) null,
    "request_id" text(128) null, "detail" text null, "at" time not null, "attempts" big
    not null, "next_at" time null, "error" text not null, "parked_at" time not null)`,
  `create unique index "parked_events_consumer_event_id_unique" on "parked_events"
    ("consumer", "event_id")`,
  `create table "registry_identity" ("id" int not null, "registry_id" text(36) not null,
    "known_organization" text(255) null, primary key ("id"))`,
  `create table "release_items" ("id" text(64) not null, "release_id" text(36) not null,
    "position" int not null, "target" text(64) not null, "member" text not null, "state"
    text(24) not null, "found_before" text null, "was_there" bool not null, "attempts" int
    not null, "next_at" time null, "pending_since" time null, "stage_id" text(255) null,
    "note" text null, "served" text null, primary key ("id"))`,
  'create index "release_items_release_id_index" on "release_items" ("release_id")',
  `create table "release_lanes" ("place" text(64) not null, "release_id" text(36) not null,
    primary key ("place"))`,
  'create index "release_lanes_release_id_index" on "release_lanes" ("release_id")',
  `create table "nuget_replaced_seals" ("id" serial primary key, "version_id" ref not null,
    "plan" bytes null, "fingerprint" text(64) not null, "size" big not null, "signed_at"
    time not null, "replaced_at" time not null, "sha256" text(64) null, "sha512" text(88)
    null)`,
  `create index "nuget_replaced_seals_version_id_index" on "nuget_replaced_seals"
    ("version_id")`,
  `create table "reserved_names" ("id" serial primary key, "protocol" text(16) not null,
    "pattern" text(255) not null, "is_prefix" bool not null, "owner_id" text(36) not null,
    "owner_kind" text(16) not null, "shared" bool not null, "delegated_from" text(36)
    null, "created_at" time not null, "created_by" text(255) not null)`,
  'create index "reserved_names_owner_id_index" on "reserved_names" ("owner_id")',
  `create unique index "reserved_names_protocol_pattern_owner_id_unique" on "reserved_names"
    ("protocol", "pattern", "owner_id")`,
  `create table "schema_level" ("id" int not null, "required" text(128) not null, primary key
    ("id"))`,
  `create table "signing_certificates" ("fingerprint" text(64) not null, "subject" text not
    null, "issuer" text not null, "not_before" time not null, "not_after" time not null,
    "listed_at" time not null, "first_used_at" time not null, "last_used_at" time not
    null, "active" bool not null, "der" bytes not null, primary key ("fingerprint"))`,
  `create table "source_states" ("key" text(64) not null, "last_success_at" time null,
    "last_error_at" time null, "last_error" text null, "paused_until" time null, primary
    key ("key"))`,
  `create table "staged_versions" ("id" text(36) not null, "protocol" text(16) not null,
    "name" text(255) not null, "version" text(256) not null, "summary" text not null,
    "details" text not null, "actor" text(255) not null, "created_at" time not null,
    "expires_at" time not null, "blob_id" ref not null, primary key ("id"))`,
  'create index "staged_versions_blob_id_index" on "staged_versions" ("blob_id")',
  'create index "staged_versions_expires_at_index" on "staged_versions" ("expires_at")',
  `create unique index "staged_versions_protocol_name_version_unique" on "staged_versions"
    ("protocol", "name", "version")`,
  `create table "package_groups" ("key" text(64) not null, "name" text(64) not null,
    "definition" text not null, "changed_at" time not null, primary key ("key"))`,
  `create table "policy_rules" ("id" text(36) not null, "effect" text(16) not null,
    "protocol" text(16) not null, "pattern" text(256) not null, "versions" text not null,
    "conditions" text not null, "reason" text not null, "created_by" text not null,
    "created_at" time not null, "expires_at" time null, primary key ("id"))`,
  `create table "releases" ("id" text(36) not null, "number" int not null, "group_key"
    text(64) not null, "group_name" text(64) not null, "kind" text(16) not null, "state"
    text(16) not null, "request_key" text(128) not null, "active_key" text(128) not null,
    "lane" text(64) not null, "targets" text not null, "actor" text not null, "token_id"
    text(64) null, "created_at" time not null, "frozen_at" time null, "pivot_at" time
    null, "attempts_since" time not null, "ended_at" time null, "next_at" time null,
    "reason" text null, "statement" text null, "statement_digest" text(64) null, "outcome"
    text null, primary key ("id"))`,
  'create unique index "releases_request_key_unique" on "releases" ("request_key")',
  'create unique index "releases_active_key_unique" on "releases" ("active_key")',
  'create index "releases_group_key_number_index" on "releases" ("group_key", "number")',
  'create index "releases_ended_at_created_at_index" on "releases" ("ended_at", "created_at")',
  'create index "releases_lane_ended_at_index" on "releases" ("lane", "ended_at")',
  `create table "package_sources" ("key" text(64) not null, "name" text(64) not null,
    "protocol" text(16) not null, "url" text not null, "type" text(16) not null,
    "priority" int not null, "surface" text(64) null, "strategy" text(16) not null,
    "signature_policy" text(16) not null, "enabled" bool not null, "credentials" bytes
    null, "settings" text not null, "changed_at" time not null, primary key ("key"))`,
  `create table "syndications" ("key" text(64) not null, "name" text(64) not null,
    "definition" text not null, "enabled" bool not null, "changed_at" time not null,
    primary key ("key"))`,
  `create table "publish_targets" ("key" text(64) not null, "name" text(64) not null,
    "protocol" text(16) not null, "endpoint" text not null, "credentials" bytes null,
    "expires_at" time null, "paused_at" time null, "pause_reason" text null, "options"
    text not null, "changed_at" time not null, primary key ("key"))`,
  `create table "upstream_certificates" ("fingerprint" text(64) not null, "subject" text not
    null, "issuer" text not null, "not_before" time not null, "not_after" time not null,
    "seen_at" time not null, "der" bytes not null, primary key ("fingerprint"))`,
  `create table "upstream_documents" ("document_key" text(400) not null, "source_hash"
    text(64) not null, "status" text(16) not null, "revision" text(64) not null, "etag"
    text null, "last_modified" text null, "checked_at" time not null, "gone_since" time
    null, "content" bytes null, primary key ("document_key"))`,
  `create index "upstream_documents_status_checked_at_index" on "upstream_documents"
    ("status", "checked_at")`,
  `create index "upstream_documents_source_hash_index" on "upstream_documents"
    ("source_hash")`,
  `create table "webhooks" ("id" text(36) not null, "url" text not null, "events" text not
    null, "format" text(16) not null, "origin" text(16) not null, "enabled" bool not null,
    "includes" text(16) null, "reason" text null, "secret" bytes null, "former_secret"
    bytes null, "former_ends_at" time null, "created_at" time not null, primary key
    ("id"))`,
  `create table "webhook_deliveries" ("id" serial primary key, "webhook_id" text(36) not
    null, "event_id" big not null, "type" text(64) not null, "subject" text(512) not null,
    "names" text not null, "order_key" text(64) not null, "body" text not null, "state"
    text(16) not null, "attempts" big not null, "next_at" time null, "log" text not null,
    "created_at" time not null, "done_at" time null)`,
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
]);

export const IDENTITY = onEveryDatabase([
  `create table "host_external_identities" ("issuer" text(160) not null, "subject" text(255)
    not null, "user_id" text(36) not null, "shown" text not null, "sealed_grant" bytes
    null, "outcome" text(16) not null, "checked_at" time not null, "claimed_until" time
    null, primary key ("issuer", "subject"))`,
  `create index "host_external_identities_user_id_index" on "host_external_identities"
    ("user_id")`,
  `create index "host_external_identities_checked_at_index" on "host_external_identities"
    ("checked_at")`,
  `create table "host_challenges" ("hash" text(64) not null, "session_hash" text(64) not
    null, "user_id" text(36) not null, "purpose" text(32) not null, "subject" text null,
    "created_at" time not null, "expires_at" time not null, primary key ("hash"))`,
  'create index "host_challenges_expires_at_index" on "host_challenges" ("expires_at")',
  `create table "host_confirmations" ("hash" text(64) not null, "session_hash" text(64) not
    null, "action" text(32) not null, "subject" text not null, "path" text not null,
    "back_path" text not null, "sealed_form" bytes not null, "created_at" time not null,
    "expires_at" time not null, "confirmed_at" time null, primary key ("hash"))`,
  `create index "host_confirmations_session_hash_index" on "host_confirmations"
    ("session_hash")`,
  'create index "host_confirmations_expires_at_index" on "host_confirmations" ("expires_at")',
  `create table "host_passkeys" ("credential_hash" text(64) not null, "credential_id" text
    not null, "user_id" text(36) not null, "rp_id" text(255) not null, "public_key" bytes
    not null, "counter" big not null, "backed_up" bool not null, "transports" text not
    null, "name" text not null, "created_at" time not null, "used_at" time null, primary
    key ("credential_hash"))`,
  'create index "host_passkeys_user_id_index" on "host_passkeys" ("user_id")',
  `create table "host_sessions" ("hash" text(64) not null, "previous_hash" text(64) null,
    "previous_ends_at" time null, "user_id" text(36) null, "token_id" text(36) null,
    "epoch" int not null, "created_at" time not null, "rotated_at" time not null,
    "seen_at" time not null, "idle_ends_at" time not null, "ends_at" time not null,
    "address" text(64) null, "agent" text null, primary key ("hash"))`,
  'create index "host_sessions_previous_hash_index" on "host_sessions" ("previous_hash")',
  'create index "host_sessions_user_id_index" on "host_sessions" ("user_id")',
  'create index "host_sessions_token_id_index" on "host_sessions" ("token_id")',
  'create index "host_sessions_ends_at_index" on "host_sessions" ("ends_at")',
  `create table "host_teams" ("id" text(36) not null, "handle" text(39) not null,
    "display_name" text not null, "group_ref" text(255) null, "created_at" time not null,
    primary key ("id"))`,
  'create unique index "host_teams_handle_unique" on "host_teams" ("handle")',
  `create table "host_tokens" ("id" text(36) not null, "name" text not null, "owner"
    text(255) null, "parent_id" text(36) null, "user_id" text(36) null,
    "service_account_id" text(36) null, "policy_id" text(36) null, "prefix" text(16) not
    null, "hash" text(64) not null, "scheme" int not null, "scopes" text not null,
    "protocols" text not null, "patterns" text not null, "networks" text not null,
    "created_at" time not null, "expires_at" time null, "revoked_at" time null,
    "last_used_at" time null, "last_used_from" text(64) null, "replaces" text(36) null,
    "leaked_at" time null, "noticed_days" int null, primary key ("id"))`,
  'create index "host_tokens_owner_index" on "host_tokens" ("owner")',
  'create index "host_tokens_parent_id_index" on "host_tokens" ("parent_id")',
  'create index "host_tokens_user_id_index" on "host_tokens" ("user_id")',
  `create index "host_tokens_service_account_id_index" on "host_tokens"
    ("service_account_id")`,
  'create index "host_tokens_policy_id_index" on "host_tokens" ("policy_id")',
  'create index "host_tokens_prefix_index" on "host_tokens" ("prefix")',
  `create table "host_users" ("id" text(36) not null, "handle" text(39) not null,
    "display_name" text not null, "email" text null, "role" text(16) not null,
    "role_source" text(16) not null, "state" text(16) not null, "reason" text null,
    "blocked_from" text(16) null, "epoch" int not null, "created_at" time not null,
    "validated_at" time null, "last_sign_in_at" time null, "second_factor" text(16) null,
    primary key ("id"))`,
  'create unique index "host_users_handle_unique" on "host_users" ("handle")',
  `create index "host_users_state_validated_at_index" on "host_users" ("state",
    "validated_at")`,
  `create table "host_login_sessions" ("poll_hash" text(64) not null, "code" text(32) not
    null, "purpose" text(32) not null, "subject" text null, "address" text(64) null,
    "created_at" time not null, "expires_at" time not null, "granted" text null,
    "denied_at" time null, primary key ("poll_hash"))`,
  'create unique index "host_login_sessions_code_unique" on "host_login_sessions" ("code")',
  `create index "host_login_sessions_expires_at_index" on "host_login_sessions"
    ("expires_at")`,
  `create table "host_owner_names" ("name" text(39) not null, "kind" text(16) not null,
    "owner_id" text(36) not null, "created_at" time not null, primary key ("name"))`,
  'create index "host_owner_names_owner_id_index" on "host_owner_names" ("owner_id")',
  `create table "host_publish_policies" ("id" text(36) not null, "provider" text(32) not
    null, "issuer" text(255) not null, "claims" text not null, "pinned" text null,
    "pin_ends_at" time null, "owner_id" text(36) null, "created_by" text(255) not null,
    "maker_id" text(36) null, "protocols" text not null, "patterns" text not null,
    "scopes" text not null, "life_seconds" int not null, "may_create" bool not null,
    "events" text not null, "fixed_audience" text(255) null, "state" text(16) not null,
    "created_at" time not null, "used_at" time null, primary key ("id"))`,
  'create index "host_publish_policies_issuer_index" on "host_publish_policies" ("issuer")',
  `create index "host_publish_policies_owner_id_index" on "host_publish_policies"
    ("owner_id")`,
  `create index "host_publish_policies_maker_id_index" on "host_publish_policies"
    ("maker_id")`,
  `create table "host_refresh_tokens" ("hash" text(64) not null, "token_id" text(36) not
    null, "client" text(255) not null, "created_at" time not null, "expires_at" time not
    null, "last_used_at" time null, primary key ("hash"))`,
  'create index "host_refresh_tokens_token_id_index" on "host_refresh_tokens" ("token_id")',
  `create index "host_refresh_tokens_expires_at_index" on "host_refresh_tokens"
    ("expires_at")`,
  `create table "host_service_accounts" ("id" text(36) not null, "name" text(64) not null,
    "team_id" text(36) null, "state" text(16) not null, "created_at" time not null,
    primary key ("id"))`,
  `create unique index "host_service_accounts_name_unique" on "host_service_accounts"
    ("name")`,
  'create index "host_service_accounts_team_id_index" on "host_service_accounts" ("team_id")',
  `create table "host_sign_in_failures" ("address" text(64) not null, "empty_ms" big not
    null, primary key ("address"))`,
  `create index "host_sign_in_failures_empty_ms_index" on "host_sign_in_failures"
    ("empty_ms")`,
  `create table "host_team_members" ("team_id" text(36) not null, "user_id" text(36) not
    null, "level" text(16) not null, "source" text(16) not null, "created_at" time not
    null, primary key ("team_id", "user_id"))`,
  'create index "host_team_members_user_id_index" on "host_team_members" ("user_id")',
  `create table "host_used_id_tokens" ("fingerprint" text(64) not null, "surface" text(16)
    not null, "subject" text(255) not null, "policy_id" text(36) not null, "token_id"
    text(36) not null, "ends_at" time not null, primary key ("fingerprint", "surface",
    "subject"))`,
  'create index "host_used_id_tokens_ends_at_index" on "host_used_id_tokens" ("ends_at")',
]);
