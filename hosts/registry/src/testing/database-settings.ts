import type { DatabaseConfig } from "@sealhouse/database";

/** How an operator would say where a test's database is. */
export function databaseSettings(config: DatabaseConfig): Readonly<Record<string, string>> {
  if (config.type === "Sqlite") {
    return { Database__Type: "Sqlite", Database__ConnectionString: `Data Source=${config.path}` };
  }
  const { host, port, user, database } = config;
  const place = `Server=${host};Port=${port};Database=${database};Username=${user}`;
  const type = config.type === "MySql" ? "MariaDb" : "Postgres";
  return { Database__Type: type, Database__ConnectionString: place };
}
