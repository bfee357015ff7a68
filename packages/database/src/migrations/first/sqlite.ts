// Generated: see create-migrations.ts.

export const CATALOG: readonly string[] = [
  `create table "audit_log" ("event_id" bigint not null primary key, "type" text not null,
    "subject" text not null, "actor" text not null, "token_id" text null, "address" text
    null, "request_id" text null, "detail" text null, "at" datetime not null)`,
  'create index "audit_log_at_index" on "audit_log" ("at")',
  `create table "blobs" ("id" integer not null primary key autoincrement, "protocol" text not
    null, "digest" text not null, "size" bigint not null, "storage_key" text not null,
    "state" text not null, "touched_at" datetime not null, "created_at" datetime not null,
    "verified_at" datetime null, "damaged_at" datetime null)`,
  'create unique index "blobs_storage_key_unique" on "blobs" ("storage_key")',
  `create index "blobs_protocol_state_touched_at_index" on "blobs" ("protocol", "state",
    "touched_at")`,
  'create index "blobs_protocol_verified_at_index" on "blobs" ("protocol", "verified_at")',
  'create unique index "blobs_protocol_digest_unique" on "blobs" ("protocol", "digest")',
  `create table "blob_contents" ("blob_id" integer not null primary key, "bytes" blob not
    null, constraint "blob_contents_blob_id_foreign" foreign key ("blob_id") references
    "blobs" ("id") on update cascade on delete cascade)`,
  `create table "completed_manifests" ("place" text not null, "digest" text not null,
    "completed_at" datetime not null, primary key ("place", "digest"))`,
  `create table "documents" ("document_key" text not null primary key, "group_name" text not
    null, "etag" text not null, "content_type" text not null, "modified_at" datetime not
    null, "identity" blob not null, "gzip" blob null, "zstd" blob null)`,
  'create index "documents_group_name_index" on "documents" ("group_name")',
  `create table "document_groups" ("name" text not null primary key, "revision" integer not
    null)`,
  `create table "events" ("id" integer not null primary key autoincrement, "type" text not
    null, "subject" text not null, "actor" text not null, "token_id" text null, "address"
    text null, "request_id" text null, "detail" text null, "at" datetime not null)`,
  `create table "event_cursors" ("consumer" text not null primary key, "settled_id" bigint
    not null)`,
  `create table "event_deliveries" ("consumer" text not null, "event_id" bigint not null,
    primary key ("consumer", "event_id"))`,
  `create table "first_seen_versions" ("version_key" text not null primary key, "seen_at"
    datetime not null)`,
  `create table "held_contents" ("id" integer not null primary key autoincrement,
    "release_id" text not null, "protocol" text not null, "name" text not null, "item"
    text not null, "content" text not null, "blob_id" bigint not null, constraint
    "held_contents_blob_id_foreign" foreign key ("blob_id") references "blobs" ("id") on
    delete restrict)`,
  'create index "held_contents_blob_id_index" on "held_contents" ("blob_id")',
  'create index "held_contents_release_id_index" on "held_contents" ("release_id")',
  'create index "held_contents_item" on "held_contents" ("protocol", "name", "item")',
  `create table "history" ("id" integer not null primary key autoincrement, "protocol" text
    not null, "name" text not null, "kind" text not null, "item" text not null, "value"
    text not null, "valid_from" datetime not null, "valid_to" datetime not null)`,
  `create unique index "history_item" on "history" ("protocol", "name", "kind", "item",
    "valid_to")`,
  `create table "kept_contents" ("id" integer not null primary key autoincrement, "protocol"
    text not null, "name" text not null, "item" text not null, "value" text not null,
    "content" text not null, "lost_at" datetime not null, "blob_id" bigint not null,
    constraint "kept_contents_blob_id_foreign" foreign key ("blob_id") references "blobs"
    ("id") on delete restrict)`,
  'create index "kept_contents_blob_id_index" on "kept_contents" ("blob_id")',
  'create index "kept_contents_lost_at_index" on "kept_contents" ("lost_at")',
  'create index "kept_contents_item" on "kept_contents" ("protocol", "name", "item")',
  `create table "leases" ("name" text not null primary key, "holder" text not null, "fence"
    bigint not null, "held_until" datetime not null)`,
  `create table "lent_keys" ("release_id" text not null, "target" text not null, "name" text
    not null, "sealed" blob not null, "expires_at" datetime not null, primary key
    ("release_id", "target", "name"))`,
  `create table "mails" ("id" integer not null primary key autoincrement, "mail_key" text not
    null, "template" text not null, "recipient" text not null, "subject" text not null,
    "body" text not null, "state" text not null, "attempts" bigint not null, "next_at"
    datetime null, "error" text null, "created_at" datetime not null, "done_at" datetime
    null)`,
  'create index "mails_state_next_at_index" on "mails" ("state", "next_at")',
  'create unique index "mails_mail_key_unique" on "mails" ("mail_key")',
  `create table "name_origins" ("protocol" text not null, "name" text not null, "origin" text
    not null, "source" text null, "since" datetime not null, primary key ("protocol",
    "name"))`,
  `create table "name_settings" ("protocol" text not null, "name_key" text not null,
    "visibility" text null, "trusted_only" integer not null, "changed_at" datetime not
    null, primary key ("protocol", "name_key"))`,
  `create table "npm_advisories" ("id" integer not null primary key autoincrement, "source"
    text not null, "advisory_id" text null, "name" text not null, "severity" integer not
    null, "title" text not null, "url" text not null, "versions" text not null, "cwe" text
    not null, "cvss" text null)`,
  'create index "npm_advisories_name_index" on "npm_advisories" ("name")',
  'create index "npm_advisories_source_index" on "npm_advisories" ("source")',
  `create table "npm_packages" ("id" integer not null primary key autoincrement, "name" text
    not null, "revision" integer not null, "created_at" datetime not null, "modified_at"
    datetime not null, "readme" text null, "readme_filename" text null, "maintainers" text
    not null, "access" text null)`,
  'create unique index "npm_packages_name_unique" on "npm_packages" ("name")',
  `create table "npm_dependencies" ("package_id" bigint not null, "dependency_name" text not
    null, primary key ("package_id", "dependency_name"), constraint
    "npm_dependencies_package_id_foreign" foreign key ("package_id") references
    "npm_packages" ("id") on delete cascade)`,
  'create index "npm_dependencies_package_id_index" on "npm_dependencies" ("package_id")',
  `create index "npm_dependencies_dependency_name_index" on "npm_dependencies"
    ("dependency_name")`,
  `create table "npm_removed_names" ("name" text not null primary key, "removed_at" datetime
    not null, "removed_by" text not null)`,
  `create table "npm_signing_keys" ("key_id" text not null primary key, "public_key" text not
    null, "sealed_key" blob null, "created_at" datetime not null, "announced_at" datetime
    null, "expires_at" datetime null)`,
  `create table "npm_tombstones" ("name" text not null, "version" text not null, "integrity"
    text not null, "published_at" datetime not null, "removed_at" datetime not null,
    "removed_by" text not null, primary key ("name", "version"))`,
  `create table "npm_versions" ("id" integer not null primary key autoincrement, "package_id"
    bigint not null, "version" text not null, "manifest" text not null, "abbreviated" text
    not null, "integrity" text not null, "shasum" text not null, "file_count" integer not
    null, "unpacked_size" bigint not null, "published_at" datetime not null,
    "published_by" text not null, "published_tags" text not null, "deprecated" text null,
    "signatures" text null, "dependency_names" text null, "description" text not null,
    "keywords" text not null, "search_text" text not null, "downloads" bigint not null,
    "blob_id" bigint not null, constraint "npm_versions_package_id_foreign" foreign key
    ("package_id") references "npm_packages" ("id") on delete restrict, constraint
    "npm_versions_blob_id_foreign" foreign key ("blob_id") references "blobs" ("id") on
    delete restrict)`,
  'create index "npm_versions_package_id_index" on "npm_versions" ("package_id")',
  'create index "npm_versions_published_at_index" on "npm_versions" ("published_at")',
  'create index "npm_versions_blob_id_index" on "npm_versions" ("blob_id")',
  `create unique index "npm_versions_package_id_version_unique" on "npm_versions"
    ("package_id", "version")`,
  `create table "npm_tags" ("package_id" bigint not null, "tag" text not null, "version_id"
    bigint not null, primary key ("package_id", "tag"), constraint
    "npm_tags_package_id_foreign" foreign key ("package_id") references "npm_packages"
    ("id") on delete restrict, constraint "npm_tags_version_id_foreign" foreign key
    ("version_id") references "npm_versions" ("id") on delete restrict)`,
  'create index "npm_tags_package_id_index" on "npm_tags" ("package_id")',
  'create index "npm_tags_version_id_index" on "npm_tags" ("version_id")',
  `create table "npm_attestations" ("id" integer not null primary key autoincrement,
    "version_id" bigint not null, "predicate_type" text not null, "bundle" text not null,
    "created_at" datetime not null, constraint "npm_attestations_version_id_foreign"
    foreign key ("version_id") references "npm_versions" ("id") on delete cascade)`,
  'create index "npm_attestations_version_id_index" on "npm_attestations" ("version_id")',
  `create unique index "npm_attestations_version_id_predicate_type_unique" on
    "npm_attestations" ("version_id", "predicate_type")`,
  `create table "nuget_advisories" ("id" integer not null primary key autoincrement, "source"
    text not null, "page" text not null, "advisory_id" text null, "lower_id" text not
    null, "severity" integer not null, "url" text not null, "versions" text not null)`,
  'create index "nuget_advisories_lower_id_index" on "nuget_advisories" ("lower_id")',
  'create index "nuget_advisories_source_page_index" on "nuget_advisories" ("source", "page")',
  `create table "nuget_advisory_sources" ("name" text not null primary key, "base_at"
    datetime not null, "updated_at" datetime not null, "checked_at" datetime not null,
    "state" text null)`,
  `create table "nuget_catalog_items" ("position" bigint not null primary key, "event_id"
    bigint not null, "type" text not null, "display_id" text not null, "version" text not
    null, "commit_id" text not null, "commit_at" datetime not null, "leaf" text not null)`,
  `create unique index "nuget_catalog_items_event_id_unique" on "nuget_catalog_items"
    ("event_id")`,
  `create index "nuget_catalog_items_display_id_index" on "nuget_catalog_items"
    ("display_id")`,
  `create unique index "nuget_catalog_items_commit_at_unique" on "nuget_catalog_items"
    ("commit_at")`,
  `create table "nuget_dependencies" ("package_id" bigint not null, "dependency_id" text not
    null, primary key ("package_id", "dependency_id"))`,
  `create index "nuget_dependencies_dependency_id_index" on "nuget_dependencies"
    ("dependency_id")`,
  `create table "nuget_packages" ("id" integer not null primary key autoincrement, "lower_id"
    text not null, "display_id" text not null, "created_at" datetime not null, "downloads"
    bigint not null, "owners" text null, "newest_stable1" bigint null, "newest_any1"
    bigint null, "newest_stable2" bigint null, "newest_any2" bigint null)`,
  'create unique index "nuget_packages_lower_id_unique" on "nuget_packages" ("lower_id")',
  'create index "nuget_packages_popular" on "nuget_packages" ("downloads" DESC, "lower_id")',
  `create table "nuget_search_entries" ("version_id" bigint not null primary key,
    "package_id" bigint not null, "filters" text not null, "id_words" text not null,
    "id_parts" text not null, "title" text not null, "tags" text not null, "authors" text
    not null, "summary" text not null, "description" text not null)`,
  `create index "nuget_search_entries_package_id_index" on "nuget_search_entries"
    ("package_id")`,
  `create index "nuget_search_entries_version_id_package_id_index" on "nuget_search_entries"
    ("version_id", "package_id")`,
  `create table "nuget_tombstones" ("lower_id" text not null, "lower_version" text not null,
    "display_id" text not null, "version" text not null, "sha256" text not null,
    "deleted_at" datetime not null, "deleted_by" text not null, primary key ("lower_id",
    "lower_version"))`,
  `create table "nuget_versions" ("id" integer not null primary key autoincrement,
    "package_id" bigint not null, "lower_version" text not null, "display_id" text not
    null, "version" text not null, "full_version" text not null, "is_prerelease" integer
    not null, "is_sem_ver2" integer not null, "listed" integer not null, "published_at"
    datetime not null, "downloads" bigint not null, "downloaded_at" datetime null, "size"
    bigint not null, "origin" text not null, "published_by" text not null, "deprecation"
    text null, "target_frameworks" text null, "dependency_ids" text null, "details" text
    not null, "nuspec" blob not null, "sha512" text not null, "content_hash" text null,
    "blob_id" bigint not null, "seal_plan" blob null, "seal_fingerprint" text null,
    "seal_size" bigint null, "seal_signed_at" datetime null, "seal_sha256" text null,
    "seal_sha512" text null, constraint "nuget_versions_package_id_foreign" foreign key
    ("package_id") references "nuget_packages" ("id") on delete restrict, constraint
    "nuget_versions_blob_id_foreign" foreign key ("blob_id") references "blobs" ("id") on
    delete restrict)`,
  'create index "nuget_versions_package_id_index" on "nuget_versions" ("package_id")',
  'create index "nuget_versions_published_at_index" on "nuget_versions" ("published_at")',
  `create index "nuget_versions_seal_fingerprint_index" on "nuget_versions"
    ("seal_fingerprint")`,
  'create index "nuget_versions_blob_id_index" on "nuget_versions" ("blob_id")',
  `create index "nuget_versions_shown" on "nuget_versions" ("package_id", "listed",
    "is_prerelease", "is_sem_ver2", "full_version", "downloads")`,
  `create unique index "nuget_versions_package_id_lower_version_unique" on "nuget_versions"
    ("package_id", "lower_version")`,
  `create table "nuget_symbol_packages" ("id" integer not null primary key autoincrement,
    "version_id" bigint not null, "blob_id" bigint not null, "uploaded_at" datetime not
    null, "uploaded_by" text not null, constraint
    "nuget_symbol_packages_version_id_foreign" foreign key ("version_id") references
    "nuget_versions" ("id") on delete restrict, constraint
    "nuget_symbol_packages_blob_id_foreign" foreign key ("blob_id") references "blobs"
    ("id") on delete restrict)`,
  `create index "nuget_symbol_packages_version_id_index" on "nuget_symbol_packages"
    ("version_id")`,
  `create unique index "nuget_symbol_packages_version_id_unique" on "nuget_symbol_packages"
    ("version_id")`,
  'create index "nuget_symbol_packages_blob_id_index" on "nuget_symbol_packages" ("blob_id")',
  `create table "nuget_symbol_files" ("id" integer not null primary key autoincrement,
    "symbol_package_id" bigint not null, "file_name" text not null, "symbol_key" text not
    null, "checksum" text not null, "blob_id" bigint not null, constraint
    "nuget_symbol_files_symbol_package_id_foreign" foreign key ("symbol_package_id")
    references "nuget_symbol_packages" ("id") on delete restrict, constraint
    "nuget_symbol_files_blob_id_foreign" foreign key ("blob_id") references "blobs" ("id")
    on delete restrict)`,
  `create index "nuget_symbol_files_symbol_package_id_index" on "nuget_symbol_files"
    ("symbol_package_id")`,
  `create index "nuget_symbol_files_symbol_key_file_name_index" on "nuget_symbol_files"
    ("symbol_key", "file_name")`,
  'create index "nuget_symbol_files_blob_id_index" on "nuget_symbol_files" ("blob_id")',
  `create table "oci_gc_runs" ("id" text not null primary key, "surface" text not null,
    "dry_run" integer not null, "reviewed" text null, "state" text not null,
    "unused_since" datetime not null, "started_at" datetime not null, "finished_at"
    datetime null, "removed_count" bigint not null, "removed_bytes" bigint not null,
    "error" text null)`,
  'create index "oci_gc_runs_started_at_index" on "oci_gc_runs" ("started_at")',
  `create table "oci_gc_candidates" ("id" integer not null primary key autoincrement,
    "run_id" text not null, "kind" text not null, "repository" text not null, "digest"
    text not null, "size" bigint not null, "reason" text not null, "last_used_at" datetime
    not null, constraint "oci_gc_candidates_run_id_foreign" foreign key ("run_id")
    references "oci_gc_runs" ("id") on delete cascade)`,
  'create index "oci_gc_candidates_run_id_index" on "oci_gc_candidates" ("run_id")',
  `create unique index "oci_gc_candidates_run_id_kind_repository_digest_unique" on
    "oci_gc_candidates" ("run_id", "kind", "repository", "digest")`,
  `create table "oci_holds" ("digest" text not null, "holder" text not null, "held_until"
    datetime null, primary key ("digest", "holder"))`,
  'create index "oci_holds_holder_index" on "oci_holds" ("holder")',
  `create table "oci_repositories" ("id" integer not null primary key autoincrement, "name"
    text not null, "created_at" datetime not null, "pulls" bigint not null)`,
  'create unique index "oci_repositories_name_unique" on "oci_repositories" ("name")',
  `create table "oci_manifests" ("id" integer not null primary key autoincrement,
    "repository_id" bigint not null, "digest" text not null, "media_type" text not null,
    "size" bigint not null, "bytes" blob not null, "subject" text null, "artifact_type"
    text null, "annotations" text null, "pushed_at" datetime not null, "touched_at"
    datetime not null, "deleted_at" datetime null, constraint
    "oci_manifests_repository_id_foreign" foreign key ("repository_id") references
    "oci_repositories" ("id") on delete restrict)`,
  'create index "oci_manifests_repository_id_index" on "oci_manifests" ("repository_id")',
  `create index "oci_manifests_repository_id_subject_id_index" on "oci_manifests"
    ("repository_id", "subject", "id")`,
  `create unique index "oci_manifests_repository_id_digest_unique" on "oci_manifests"
    ("repository_id", "digest")`,
  `create table "oci_manifest_edges" ("manifest_id" bigint not null, "kind" text not null,
    "child" text not null, "repository_id" bigint not null, "size" bigint not null,
    primary key ("manifest_id", "kind", "child"), constraint
    "oci_manifest_edges_manifest_id_foreign" foreign key ("manifest_id") references
    "oci_manifests" ("id") on delete cascade, constraint
    "oci_manifest_edges_repository_id_foreign" foreign key ("repository_id") references
    "oci_repositories" ("id") on delete restrict)`,
  `create index "oci_manifest_edges_manifest_id_index" on "oci_manifest_edges"
    ("manifest_id")`,
  `create index "oci_manifest_edges_repository_id_index" on "oci_manifest_edges"
    ("repository_id")`,
  `create index "oci_manifest_edges_repository_id_child_index" on "oci_manifest_edges"
    ("repository_id", "child")`,
  `create table "oci_repository_blobs" ("repository_id" bigint not null, "blob_id" bigint not
    null, "linked_at" datetime not null, primary key ("repository_id", "blob_id"),
    constraint "oci_repository_blobs_repository_id_foreign" foreign key ("repository_id")
    references "oci_repositories" ("id") on update cascade on delete restrict, constraint
    "oci_repository_blobs_blob_id_foreign" foreign key ("blob_id") references "blobs"
    ("id") on update cascade on delete restrict)`,
  `create index "oci_repository_blobs_repository_id_index" on "oci_repository_blobs"
    ("repository_id")`,
  'create index "oci_repository_blobs_blob_id_index" on "oci_repository_blobs" ("blob_id")',
  `create index "oci_repository_blobs_repository_id_linked_at_index" on
    "oci_repository_blobs" ("repository_id", "linked_at")`,
  `create table "oci_tags" ("repository_id" bigint not null, "tag" text not null,
    "manifest_id" bigint not null, "subject" text null, "updated_at" datetime not null,
    "pulled_at" datetime null, primary key ("repository_id", "tag"), constraint
    "oci_tags_repository_id_foreign" foreign key ("repository_id") references
    "oci_repositories" ("id") on delete restrict, constraint
    "oci_tags_manifest_id_foreign" foreign key ("manifest_id") references "oci_manifests"
    ("id") on delete restrict)`,
  'create index "oci_tags_repository_id_index" on "oci_tags" ("repository_id")',
  'create index "oci_tags_updated_at_index" on "oci_tags" ("updated_at")',
  'create index "oci_tags_manifest_id_index" on "oci_tags" ("manifest_id")',
  `create index "oci_tags_repository_id_subject_index" on "oci_tags" ("repository_id",
    "subject")`,
  `create table "oci_uploads" ("id" text not null primary key, "repository" text not null,
    "owner" text not null, "received" bigint not null, "algorithm" text null, "bytes" blob
    null, "writer" text null, "claimed_until" datetime null, "created_at" datetime not
    null, "updated_at" datetime not null)`,
  'create index "oci_uploads_updated_at_index" on "oci_uploads" ("updated_at")',
  `create table "ownerships" ("protocol" text not null, "name_key" text not null, "owner_id"
    text not null, "owner_kind" text not null, "level" text not null, "created_at"
    datetime not null, "created_by" text not null, primary key ("protocol", "name_key",
    "owner_id"))`,
  'create index "ownerships_owner_id_index" on "ownerships" ("owner_id")',
  `create table "owner_transfers" ("id" text not null primary key, "protocol" text not null,
    "name_key" text not null, "from_id" text null, "to_id" text not null, "level" text not
    null, "created_at" datetime not null, "created_by" text not null, "expires_at"
    datetime not null, "decided_at" datetime null, "decision" text null, "decided_by" text
    null, "maker_id" text null)`,
  'create index "owner_transfers_to_id_index" on "owner_transfers" ("to_id")',
  'create index "owner_transfers_expires_at_index" on "owner_transfers" ("expires_at")',
  `create index "owner_transfers_protocol_name_key_index" on "owner_transfers" ("protocol",
    "name_key")`,
  `create table "parked_events" ("id" integer not null primary key autoincrement, "consumer"
    text not null, "event_id" bigint not null, "type" text not null, "subject" text not
    null, "actor" text not null, "token_id" text null, "address" text null, "request_id"
    text null, "detail" text null, "at" datetime not null, "attempts" bigint not null,
    "next_at" datetime null, "error" text not null, "parked_at" datetime not null)`,
  `create unique index "parked_events_consumer_event_id_unique" on "parked_events"
    ("consumer", "event_id")`,
  `create table "registry_identity" ("id" integer not null primary key, "registry_id" text
    not null, "known_organization" text null)`,
  `create table "release_items" ("id" text not null primary key, "release_id" text not null,
    "position" integer not null, "target" text not null, "member" text not null, "state"
    text not null, "found_before" text null, "was_there" integer not null, "attempts"
    integer not null, "next_at" datetime null, "pending_since" datetime null, "stage_id"
    text null, "note" text null, "served" text null)`,
  'create index "release_items_release_id_index" on "release_items" ("release_id")',
  `create table "release_lanes" ("place" text not null primary key, "release_id" text not
    null)`,
  'create index "release_lanes_release_id_index" on "release_lanes" ("release_id")',
  `create table "nuget_replaced_seals" ("id" integer not null primary key autoincrement,
    "version_id" bigint not null, "plan" blob null, "fingerprint" text not null, "size"
    bigint not null, "signed_at" datetime not null, "replaced_at" datetime not null,
    "sha256" text null, "sha512" text null, constraint
    "nuget_replaced_seals_version_id_foreign" foreign key ("version_id") references
    "nuget_versions" ("id") on delete restrict)`,
  `create index "nuget_replaced_seals_version_id_index" on "nuget_replaced_seals"
    ("version_id")`,
  `create table "reserved_names" ("id" integer not null primary key autoincrement, "protocol"
    text not null, "pattern" text not null, "is_prefix" integer not null, "owner_id" text
    not null, "owner_kind" text not null, "shared" integer not null, "delegated_from" text
    null, "created_at" datetime not null, "created_by" text not null)`,
  'create index "reserved_names_owner_id_index" on "reserved_names" ("owner_id")',
  `create unique index "reserved_names_protocol_pattern_owner_id_unique" on "reserved_names"
    ("protocol", "pattern", "owner_id")`,
  'create table "schema_level" ("id" integer not null primary key, "required" text not null)',
  `create table "signing_certificates" ("fingerprint" text not null primary key, "subject"
    text not null, "issuer" text not null, "not_before" datetime not null, "not_after"
    datetime not null, "listed_at" datetime not null, "first_used_at" datetime not null,
    "last_used_at" datetime not null, "active" integer not null, "der" blob not null)`,
  `create table "source_states" ("key" text not null primary key, "last_success_at" datetime
    null, "last_error_at" datetime null, "last_error" text null, "paused_until" datetime
    null)`,
  `create table "staged_versions" ("id" text not null primary key, "protocol" text not null,
    "name" text not null, "version" text not null, "summary" text not null, "details" text
    not null, "actor" text not null, "created_at" datetime not null, "expires_at" datetime
    not null, "blob_id" bigint not null, constraint "staged_versions_blob_id_foreign"
    foreign key ("blob_id") references "blobs" ("id") on delete restrict)`,
  'create index "staged_versions_blob_id_index" on "staged_versions" ("blob_id")',
  'create index "staged_versions_expires_at_index" on "staged_versions" ("expires_at")',
  `create unique index "staged_versions_protocol_name_version_unique" on "staged_versions"
    ("protocol", "name", "version")`,
  `create table "package_groups" ("key" text not null primary key, "name" text not null,
    "definition" text not null, "changed_at" datetime not null)`,
  `create table "policy_rules" ("id" text not null primary key, "effect" text not null,
    "protocol" text not null, "pattern" text not null, "versions" text not null,
    "conditions" text not null, "reason" text not null, "created_by" text not null,
    "created_at" datetime not null, "expires_at" datetime null)`,
  `create table "releases" ("id" text not null primary key, "number" integer not null,
    "group_key" text not null, "group_name" text not null, "kind" text not null, "state"
    text not null, "request_key" text not null, "active_key" text not null, "lane" text
    not null, "targets" text not null, "actor" text not null, "token_id" text null,
    "created_at" datetime not null, "frozen_at" datetime null, "pivot_at" datetime null,
    "attempts_since" datetime not null, "ended_at" datetime null, "next_at" datetime null,
    "reason" text null, "statement" text null, "statement_digest" text null, "outcome"
    text null)`,
  'create unique index "releases_request_key_unique" on "releases" ("request_key")',
  'create unique index "releases_active_key_unique" on "releases" ("active_key")',
  'create index "releases_group_key_number_index" on "releases" ("group_key", "number")',
  'create index "releases_ended_at_created_at_index" on "releases" ("ended_at", "created_at")',
  'create index "releases_lane_ended_at_index" on "releases" ("lane", "ended_at")',
  `create table "package_sources" ("key" text not null primary key, "name" text not null,
    "protocol" text not null, "url" text not null, "type" text not null, "priority"
    integer not null, "surface" text null, "strategy" text not null, "signature_policy"
    text not null, "enabled" integer not null, "credentials" blob null, "settings" text
    not null, "changed_at" datetime not null)`,
  `create table "syndications" ("key" text not null primary key, "name" text not null,
    "definition" text not null, "enabled" integer not null, "changed_at" datetime not
    null)`,
  `create table "publish_targets" ("key" text not null primary key, "name" text not null,
    "protocol" text not null, "endpoint" text not null, "credentials" blob null,
    "expires_at" datetime null, "paused_at" datetime null, "pause_reason" text null,
    "options" text not null, "changed_at" datetime not null)`,
  `create table "upstream_certificates" ("fingerprint" text not null primary key, "subject"
    text not null, "issuer" text not null, "not_before" datetime not null, "not_after"
    datetime not null, "seen_at" datetime not null, "der" blob not null)`,
  `create table "upstream_documents" ("document_key" text not null primary key, "source_hash"
    text not null, "status" text not null, "revision" text not null, "etag" text null,
    "last_modified" text null, "checked_at" datetime not null, "gone_since" datetime null,
    "content" blob null)`,
  `create index "upstream_documents_status_checked_at_index" on "upstream_documents"
    ("status", "checked_at")`,
  `create index "upstream_documents_source_hash_index" on "upstream_documents"
    ("source_hash")`,
  `create table "webhooks" ("id" text not null primary key, "url" text not null, "events"
    text not null, "format" text not null, "origin" text not null, "enabled" integer not
    null, "includes" text null, "reason" text null, "secret" blob null, "former_secret"
    blob null, "former_ends_at" datetime null, "created_at" datetime not null)`,
  `create table "webhook_deliveries" ("id" integer not null primary key autoincrement,
    "webhook_id" text not null, "event_id" bigint not null, "type" text not null,
    "subject" text not null, "names" text not null, "order_key" text not null, "body" text
    not null, "state" text not null, "attempts" bigint not null, "next_at" datetime null,
    "log" text not null, "created_at" datetime not null, "done_at" datetime null)`,
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
];

export const IDENTITY: readonly string[] = [
  `create table "host_external_identities" ("issuer" text not null, "subject" text not null,
    "user_id" text not null, "shown" text not null, "sealed_grant" blob null, "outcome"
    text not null, "checked_at" datetime not null, "claimed_until" datetime null, primary
    key ("issuer", "subject"))`,
  `create index "host_external_identities_user_id_index" on "host_external_identities"
    ("user_id")`,
  `create index "host_external_identities_checked_at_index" on "host_external_identities"
    ("checked_at")`,
  `create table "host_challenges" ("hash" text not null primary key, "session_hash" text not
    null, "user_id" text not null, "purpose" text not null, "subject" text null,
    "created_at" datetime not null, "expires_at" datetime not null)`,
  'create index "host_challenges_expires_at_index" on "host_challenges" ("expires_at")',
  `create table "host_confirmations" ("hash" text not null primary key, "session_hash" text
    not null, "action" text not null, "subject" text not null, "path" text not null,
    "back_path" text not null, "sealed_form" blob not null, "created_at" datetime not
    null, "expires_at" datetime not null, "confirmed_at" datetime null)`,
  `create index "host_confirmations_session_hash_index" on "host_confirmations"
    ("session_hash")`,
  'create index "host_confirmations_expires_at_index" on "host_confirmations" ("expires_at")',
  `create table "host_passkeys" ("credential_hash" text not null primary key, "credential_id"
    text not null, "user_id" text not null, "rp_id" text not null, "public_key" blob not
    null, "counter" bigint not null, "backed_up" integer not null, "transports" text not
    null, "name" text not null, "created_at" datetime not null, "used_at" datetime null)`,
  'create index "host_passkeys_user_id_index" on "host_passkeys" ("user_id")',
  `create table "host_sessions" ("hash" text not null primary key, "previous_hash" text null,
    "previous_ends_at" datetime null, "user_id" text null, "token_id" text null, "epoch"
    integer not null, "created_at" datetime not null, "rotated_at" datetime not null,
    "seen_at" datetime not null, "idle_ends_at" datetime not null, "ends_at" datetime not
    null, "address" text null, "agent" text null)`,
  'create index "host_sessions_previous_hash_index" on "host_sessions" ("previous_hash")',
  'create index "host_sessions_user_id_index" on "host_sessions" ("user_id")',
  'create index "host_sessions_token_id_index" on "host_sessions" ("token_id")',
  'create index "host_sessions_ends_at_index" on "host_sessions" ("ends_at")',
  `create table "host_teams" ("id" text not null primary key, "handle" text not null,
    "display_name" text not null, "group_ref" text null, "created_at" datetime not null)`,
  'create unique index "host_teams_handle_unique" on "host_teams" ("handle")',
  `create table "host_tokens" ("id" text not null primary key, "name" text not null, "owner"
    text null, "parent_id" text null, "user_id" text null, "service_account_id" text null,
    "policy_id" text null, "prefix" text not null, "hash" text not null, "scheme" integer
    not null, "scopes" text not null, "protocols" text not null, "patterns" text not null,
    "networks" text not null, "created_at" datetime not null, "expires_at" datetime null,
    "revoked_at" datetime null, "last_used_at" datetime null, "last_used_from" text null,
    "replaces" text null, "leaked_at" datetime null, "noticed_days" integer null)`,
  'create index "host_tokens_owner_index" on "host_tokens" ("owner")',
  'create index "host_tokens_parent_id_index" on "host_tokens" ("parent_id")',
  'create index "host_tokens_user_id_index" on "host_tokens" ("user_id")',
  `create index "host_tokens_service_account_id_index" on "host_tokens"
    ("service_account_id")`,
  'create index "host_tokens_policy_id_index" on "host_tokens" ("policy_id")',
  'create index "host_tokens_prefix_index" on "host_tokens" ("prefix")',
  `create table "host_users" ("id" text not null primary key, "handle" text not null,
    "display_name" text not null, "email" text null, "role" text not null, "role_source"
    text not null, "state" text not null, "reason" text null, "blocked_from" text null,
    "epoch" integer not null, "created_at" datetime not null, "validated_at" datetime
    null, "last_sign_in_at" datetime null, "second_factor" text null)`,
  'create unique index "host_users_handle_unique" on "host_users" ("handle")',
  `create index "host_users_state_validated_at_index" on "host_users" ("state",
    "validated_at")`,
  `create table "host_login_sessions" ("poll_hash" text not null primary key, "code" text not
    null, "purpose" text not null, "subject" text null, "address" text null, "created_at"
    datetime not null, "expires_at" datetime not null, "granted" text null, "denied_at"
    datetime null)`,
  'create unique index "host_login_sessions_code_unique" on "host_login_sessions" ("code")',
  `create index "host_login_sessions_expires_at_index" on "host_login_sessions"
    ("expires_at")`,
  `create table "host_owner_names" ("name" text not null primary key, "kind" text not null,
    "owner_id" text not null, "created_at" datetime not null)`,
  'create index "host_owner_names_owner_id_index" on "host_owner_names" ("owner_id")',
  `create table "host_publish_policies" ("id" text not null primary key, "provider" text not
    null, "issuer" text not null, "claims" text not null, "pinned" text null,
    "pin_ends_at" datetime null, "owner_id" text null, "created_by" text not null,
    "maker_id" text null, "protocols" text not null, "patterns" text not null, "scopes"
    text not null, "life_seconds" integer not null, "may_create" integer not null,
    "events" text not null, "fixed_audience" text null, "state" text not null,
    "created_at" datetime not null, "used_at" datetime null)`,
  'create index "host_publish_policies_issuer_index" on "host_publish_policies" ("issuer")',
  `create index "host_publish_policies_owner_id_index" on "host_publish_policies"
    ("owner_id")`,
  `create index "host_publish_policies_maker_id_index" on "host_publish_policies"
    ("maker_id")`,
  `create table "host_refresh_tokens" ("hash" text not null primary key, "token_id" text not
    null, "client" text not null, "created_at" datetime not null, "expires_at" datetime
    not null, "last_used_at" datetime null)`,
  'create index "host_refresh_tokens_token_id_index" on "host_refresh_tokens" ("token_id")',
  `create index "host_refresh_tokens_expires_at_index" on "host_refresh_tokens"
    ("expires_at")`,
  `create table "host_service_accounts" ("id" text not null primary key, "name" text not
    null, "team_id" text null, "state" text not null, "created_at" datetime not null)`,
  `create unique index "host_service_accounts_name_unique" on "host_service_accounts"
    ("name")`,
  'create index "host_service_accounts_team_id_index" on "host_service_accounts" ("team_id")',
  `create table "host_sign_in_failures" ("address" text not null primary key, "empty_ms"
    bigint not null)`,
  `create index "host_sign_in_failures_empty_ms_index" on "host_sign_in_failures"
    ("empty_ms")`,
  `create table "host_team_members" ("team_id" text not null, "user_id" text not null,
    "level" text not null, "source" text not null, "created_at" datetime not null, primary
    key ("team_id", "user_id"))`,
  'create index "host_team_members_user_id_index" on "host_team_members" ("user_id")',
  `create table "host_used_id_tokens" ("fingerprint" text not null, "surface" text not null,
    "subject" text not null, "policy_id" text not null, "token_id" text not null,
    "ends_at" datetime not null, primary key ("fingerprint", "surface", "subject"))`,
  'create index "host_used_id_tokens_ends_at_index" on "host_used_id_tokens" ("ends_at")',
];
