import { isPeerMissing, loadPeer } from "@sealhouse/settings";
import type { DatabaseConfig } from "../connection-string.ts";
import { DriverMissingError } from "../errors.ts";

/** Packages that a database needs in addition to this one. Those of SQLite are dependencies. */
const PACKAGES: Readonly<Record<DatabaseConfig["type"], readonly string[]>> = {
  Sqlite: [],
  PostgreSQL: ["@mikro-orm/postgresql", "pg"],
  MySql: ["@mikro-orm/mysql", "mysql2"],
  SqlServer: ["tedious"],
};

/**
 * Loads the code of a database with its driver.
 *
 * @throws DriverMissingError when a package of the driver is not installed
 */
export async function loadDriver<T>(
  type: DatabaseConfig["type"],
  load: () => Promise<T>,
): Promise<T> {
  const manifest = import.meta.resolve("@sealhouse/database/package.json");
  const peers = { feature: `Database__Type=${type}`, packages: PACKAGES[type], manifest };
  try {
    return await loadPeer(peers, load);
  } catch (error) {
    if (!isPeerMissing(error)) throw error;
    throw new DriverMissingError(type, error.packages, { cause: error.cause });
  }
}
