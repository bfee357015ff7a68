import type { Context } from "../schema/contexts.ts";
import { onEveryDatabase } from "./every-database.ts";
import { SEARCH_WORDS } from "./first/search-words.ts";
import { CATALOG, IDENTITY } from "./first/tables.ts";
import { joined } from "./migration.ts";
import type { Migration } from "./migration.ts";
import { Migration20261129182805_actions } from "./Migration20261129182805_actions.ts";
import { Migration20261129184218_audit_indexes } from "./Migration20261129184218_audit_indexes.ts";
import { Migration20261129102501_webhook_reach } from "./Migration20261129102501_webhook_reach.ts";
import { Migration20261129182723_npm_search } from "./Migration20261129182723_npm_search.ts";
import { Migration20261129192759_token_pages } from "./Migration20261129192759_token_pages.ts";
import { Migration20261129214237_screens } from "./Migration20261129214237_screens.ts";
import { FIRST_MIGRATION } from "./names.ts";

const LEVEL = `insert into "schema_level" values (1, '${FIRST_MIGRATION}')`;

/** All migrations, in the order of `names.ts`. */
export const MIGRATIONS: Readonly<Record<Context, readonly Migration[]>> = {
  catalog: [
    {
      name: FIRST_MIGRATION,
      statements: joined(CATALOG, SEARCH_WORDS, onEveryDatabase([LEVEL])),
    },
    Migration20261129102501_webhook_reach,
    Migration20261129182723_npm_search,
    Migration20261129182805_actions,
    Migration20261129184218_audit_indexes,
    Migration20261129214237_screens,
  ],
  identity: [{ name: FIRST_MIGRATION, statements: IDENTITY }, Migration20261129192759_token_pages],
};
