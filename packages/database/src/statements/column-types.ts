import type { Selectable } from "#kysely";
import type { Tables } from "./tables.ts";

/** Types of columns that some databases hand out as numbers or texts. */
export type ColumnType = "time" | "flag";

/** Columns by name; those of other types are absent. */
export type ColumnTypes = Readonly<Record<string, ColumnType>>;

/** The columns of a table that hold times and truth values. */
type TypesOf<Row> = {
  readonly [C in keyof Row as NonNullable<Row[C]> extends Date | boolean ? C : never]: NonNullable<
    Row[C]
  > extends Date
    ? "time"
    : "flag";
};

/**
 * The times and truth values of each table. The compiler compares them with the entities, which
 * reads must not load.
 */
const DECLARED: { readonly [T in keyof Tables]: TypesOf<Selectable<Tables[T]>> } = {
  action_jobs: { held_until: "time", created_at: "time", ended_at: "time" },
  audit_log: { at: "time" },
  blob_contents: {},
  blobs: { touched_at: "time", created_at: "time", verified_at: "time", damaged_at: "time" },
  completed_manifests: { completed_at: "time" },
  document_groups: {},
  documents: { modified_at: "time" },
  event_cursors: {},
  event_deliveries: {},
  events: { at: "time" },
  first_seen_versions: { seen_at: "time" },
  held_contents: {},
  history: { valid_from: "time", valid_to: "time" },
  host_challenges: { created_at: "time", expires_at: "time" },
  host_confirmations: { created_at: "time", expires_at: "time", confirmed_at: "time" },
  host_external_identities: { checked_at: "time", claimed_until: "time" },
  host_login_sessions: { created_at: "time", expires_at: "time", denied_at: "time" },
  host_owner_names: { created_at: "time" },
  host_passkeys: { backed_up: "flag", created_at: "time", used_at: "time" },
  host_publish_policies: {
    pin_ends_at: "time",
    may_create: "flag",
    created_at: "time",
    used_at: "time",
  },
  host_refresh_tokens: { created_at: "time", expires_at: "time", last_used_at: "time" },
  host_service_accounts: { created_at: "time" },
  host_sessions: {
    previous_ends_at: "time",
    created_at: "time",
    rotated_at: "time",
    seen_at: "time",
    idle_ends_at: "time",
    ends_at: "time",
  },
  host_sign_in_failures: {},
  host_team_members: { created_at: "time" },
  host_teams: { created_at: "time" },
  host_tokens: {
    created_at: "time",
    expires_at: "time",
    revoked_at: "time",
    last_used_at: "time",
    leaked_at: "time",
  },
  host_used_id_tokens: { ends_at: "time" },
  host_users: { created_at: "time", validated_at: "time", last_sign_in_at: "time" },
  idempotent_answers: { created_at: "time" },
  kept_contents: { lost_at: "time" },
  leases: { held_until: "time" },
  lent_keys: { expires_at: "time" },
  mails: { next_at: "time", created_at: "time", done_at: "time" },
  name_origins: { since: "time" },
  name_settings: { trusted_only: "flag", changed_at: "time" },
  npm_advisories: {},
  npm_attestations: { created_at: "time" },
  npm_dependencies: {},
  npm_packages: { created_at: "time", modified_at: "time" },
  npm_removed_names: { removed_at: "time" },
  npm_search_entries: {},
  npm_signing_keys: { created_at: "time", announced_at: "time", expires_at: "time" },
  npm_tags: {},
  npm_tombstones: { published_at: "time", removed_at: "time" },
  npm_versions: { published_at: "time" },
  nuget_advisories: {},
  nuget_advisory_sources: { base_at: "time", updated_at: "time", checked_at: "time" },
  nuget_catalog_items: { commit_at: "time" },
  nuget_dependencies: {},
  nuget_packages: { created_at: "time" },
  nuget_replaced_seals: { signed_at: "time", replaced_at: "time" },
  nuget_search_entries: {},
  nuget_symbol_files: {},
  nuget_symbol_packages: { uploaded_at: "time" },
  nuget_tombstones: { deleted_at: "time" },
  nuget_versions: {
    is_prerelease: "flag",
    is_sem_ver2: "flag",
    listed: "flag",
    published_at: "time",
    downloaded_at: "time",
    seal_signed_at: "time",
  },
  oci_gc_candidates: { last_used_at: "time" },
  oci_gc_runs: { dry_run: "flag", unused_since: "time", started_at: "time", finished_at: "time" },
  oci_holds: { held_until: "time" },
  oci_manifest_edges: {},
  oci_manifests: { pushed_at: "time", touched_at: "time", deleted_at: "time" },
  oci_repositories: { created_at: "time" },
  oci_repository_blobs: { linked_at: "time" },
  oci_tags: { updated_at: "time", pulled_at: "time" },
  oci_uploads: { claimed_until: "time", created_at: "time", updated_at: "time" },
  owner_transfers: { created_at: "time", expires_at: "time", decided_at: "time" },
  ownerships: { created_at: "time" },
  package_groups: { changed_at: "time" },
  package_sources: { enabled: "flag", changed_at: "time" },
  parked_events: { at: "time", next_at: "time", parked_at: "time" },
  policy_rules: { created_at: "time", expires_at: "time" },
  publish_targets: {
    expires_at: "time",
    paused_at: "time",
    last_success_at: "time",
    changed_at: "time",
  },
  registry_identity: {},
  release_items: { was_there: "flag", next_at: "time", pending_since: "time" },
  release_lanes: {},
  releases: {
    created_at: "time",
    frozen_at: "time",
    pivot_at: "time",
    attempts_since: "time",
    ended_at: "time",
    next_at: "time",
  },
  reserved_names: { is_prefix: "flag", shared: "flag", created_at: "time" },
  schema_level: {},
  signing_certificates: {
    not_before: "time",
    not_after: "time",
    listed_at: "time",
    first_used_at: "time",
    last_used_at: "time",
    active: "flag",
  },
  source_states: { last_success_at: "time", last_error_at: "time", paused_until: "time" },
  staged_versions: { created_at: "time", expires_at: "time" },
  syndications: { enabled: "flag", changed_at: "time" },
  upstream_certificates: { not_before: "time", not_after: "time", seen_at: "time" },
  upstream_documents: { checked_at: "time", gone_since: "time" },
  webhook_deliveries: { next_at: "time", created_at: "time", done_at: "time" },
  webhooks: { enabled: "flag", former_ends_at: "time", created_at: "time" },
};

/** The times and truth values of a table; none when the name is not that of a table. */
export function columnTypesOf(table: string): ColumnTypes {
  const tables: Readonly<Record<string, ColumnTypes>> = DECLARED;
  return tables[table] ?? {};
}
