import type { DatabaseConfig } from "@sealhouse/database";

/** The settings that an operator would use for the database of a test. */
export function databaseSettings(config: DatabaseConfig): Readonly<Record<string, string>> {
  if (config.type === "Sqlite") {
    return { Database__Type: "Sqlite", Database__ConnectionString: `Data Source=${config.path}` };
  }
  const { host, port, user, password = "", database } = config;
  const secret = password === "" ? "" : `;Password="${password.replaceAll('"', '""')}"`;
  const place = `Server=${host};Port=${port};Database=${database};Username=${user}${secret}`;
  switch (config.type) {
    case "PostgreSQL":
      return { Database__Type: "Postgres", Database__ConnectionString: place };
    case "MySql":
      return { Database__Type: "MariaDb", Database__ConnectionString: place };
    case "SqlServer": {
      const encryption = `Encrypt=${config.ssl !== "disable"};TrustServerCertificate=True`;
      const sqlServer = `Server=${host},${port};Database=${database};User Id=${user}${secret}`;
      return {
        Database__Type: "SqlServer",
        Database__ConnectionString: `${sqlServer};${encryption}`,
      };
    }
  }
}
