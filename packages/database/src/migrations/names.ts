import type { DatabaseConfig } from "../connection-string.ts";
import type { Context } from "../schema/contexts.ts";

type Names = Readonly<Record<Context, readonly string[]>>;

/**
 * Names of all migrations, oldest first; equal on all databases but SQL Server. An older host may
 * run on a newer schema. A migration that prevents this begins with `update schema_level set
 * required` and its own name (docs/decisions/0033-rolling-updates.md). A separate module, so that
 * the check of a current schema loads neither migrations nor MikroORM.
 */
export const MIGRATION_NAMES: Names = {
  catalog: [
    "Migration20261121000000_first",
    "Migration20261122000000_nuget_complete",
    "Migration20261122010000_nuget_search",
    "Migration20261122020000_drop_unread",
    "Migration20261123000000_provenance",
    "Migration20261123010000_npm_complete",
    "Migration20261124010000_oci_complete",
    "Migration20261124020000_small_blobs",
    "Migration20261125010000_referrer_pages",
    "Migration20261125050000_audit_times",
    "Migration20261125070000_npm_published_tags",
    "Migration20261125080000_prepared_certificates",
    "Migration20261125090000_history",
    "Migration20261125100000_schema_level",
    "Migration20261126072328_upstream_sources",
    "Migration20261126074500_registry_identity",
    "Migration20261126080000_upstream_certificates",
    "Migration20261126083000_policy_rules",
    "Migration20261126111241_promotion",
    "Migration20261126115500_kept_contents",
    "Migration20261126120800_event_queues",
    "Migration20261126143052_people_and_owners",
    "Migration20261126143235_release_contents",
    "Migration20261126145128_owners_mode",
    "Migration20261126182436_webhook_names",
    "Migration20261126183500_catalog_names",
    "Migration20261126191500_known_organization",
    "Migration20261126194000_offer_makers",
    "Migration20261128145308_nuget_downloaded_at",
  ],
  identity: [
    "Migration20261121000000_first",
    "Migration20261123010000_npm_complete",
    "Migration20261124010000_oci_complete",
    "Migration20261126010000_sign_in_failures",
    "Migration20261126143052_people_and_owners",
    "Migration20261126150500_publish_policies",
    "Migration20261126164310_sign_in_networks",
    "Migration20261126184500_second_factors",
    "Migration20261128145318_confirmations",
  ],
};

/** The migration that creates the whole schema of its day on SQL Server. */
const SQL_SERVER_FIRST = "Migration20261125120000_first";

/** Names of all migrations of a database, oldest first. */
export function migrationNames(type: DatabaseConfig["type"]): Names {
  return type === "SqlServer" ? SQL_SERVER_NAMES : MIGRATION_NAMES;
}

const SQL_SERVER_NAMES: Names = {
  catalog: namesSince(MIGRATION_NAMES.catalog),
  identity: namesSince(MIGRATION_NAMES.identity),
};

function namesSince(names: readonly string[]): readonly string[] {
  return [SQL_SERVER_FIRST, ...names.filter((name) => name > SQL_SERVER_FIRST)];
}
