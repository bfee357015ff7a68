import type { Context } from "../../schema/contexts.ts";
import * as catalogFirst from "./catalog/Migration20261125120000_first.ts";
import * as identityFirst from "./identity/Migration20261125120000_first.ts";
import type { SqlMigration } from "./sql-migration.ts";

/** In the order of `names.ts`. */
export const MIGRATIONS: Readonly<Record<Context, readonly SqlMigration[]>> = {
  catalog: [catalogFirst.Migration20261125120000_first],
  identity: [identityFirst.Migration20261125120000_first],
};
