import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
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
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, PACKAGES[type])) throw error;
    throw new DriverMissingError(type, await installable(PACKAGES[type]), { cause: error });
  }
}

function isMissing(error: unknown, packages: readonly string[]): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const isNotFound = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  return isNotFound && packages.some((name) => error.message.includes(`'${name}'`));
}

/** The packages with the versions that this package is made for. */
async function installable(packages: readonly string[]): Promise<readonly string[]> {
  const own = fileURLToPath(import.meta.resolve("@sealhouse/database/package.json"));
  const { peerDependencies = {} } = JSON.parse(await readFile(own, "utf8")) as {
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
  return packages.map((name) => {
    const version = peerDependencies[name] ?? "";
    return /^[\d^~]/.test(version) ? `${name}@${version}` : name;
  });
}
