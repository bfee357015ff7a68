import type { Context } from "../schema/contexts.ts";

/** The migration that creates the schema of the first release. Trials before it had other names. */
export const FIRST_MIGRATION = "Migration20261129000000_first";

/**
 * Names of all migrations, oldest first; the same on every database. An older host may run on a
 * newer schema. A migration that prevents this begins with `update schema_level set required` and
 * its own name (docs/decisions/0033-rolling-updates.md). A separate module, so that the check of a
 * current schema loads neither migrations nor MikroORM.
 */
export const MIGRATION_NAMES: Readonly<Record<Context, readonly string[]>> = {
  catalog: [
    FIRST_MIGRATION,
    "Migration20261129102501_webhook_reach",
    "Migration20261129182723_npm_search",
    "Migration20261129182805_actions",
    "Migration20261129184218_audit_indexes",
    "Migration20261129214237_screens",
  ],
  identity: [FIRST_MIGRATION, "Migration20261129192759_token_pages"],
};
