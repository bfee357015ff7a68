import type { Context } from "../../schema/contexts.ts";
import { SHARED } from "../shared/list.ts";
import { sqlMigrations } from "../shared/shared-migration.ts";
import * as catalog from "./catalog/Migration20261125120000_first.ts";
import * as identity from "./identity/Migration20261125120000_first.ts";
import type { SqlMigration } from "./sql-migration.ts";

const CATALOG = catalog.Migration20261125120000_first;
const IDENTITY = identity.Migration20261125120000_first;

/** The whole schema of one day, then the shared migrations since. */
export const MIGRATIONS: Readonly<Record<Context, readonly SqlMigration[]>> = {
  catalog: [CATALOG, ...sqlMigrations(SHARED.catalog, CATALOG)],
  identity: [IDENTITY, ...sqlMigrations(SHARED.identity, IDENTITY)],
};
