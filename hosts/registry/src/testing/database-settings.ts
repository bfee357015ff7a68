import type { DatabaseConfig } from "@sealhouse/database";

/** The settings that an operator would use for the database of a test. */
export function databaseSettings(config: DatabaseConfig): Readonly<Record<string, string>> {
  if (config.type === "Sqlite") {
    return { Database__Type: "Sqlite", Database__ConnectionString: `Data Source=${config.path}` };
  }
  const { host, port, user, database } = config;
  const place = `Server=${host};Port=${port};Database=${database};Username=${user}`;
  const type = config.type === "MySql" ? "MariaDb" : "Postgres";
  return { Database__Type: type, Database__ConnectionString: place };
}
