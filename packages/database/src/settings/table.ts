import type { SettingsTable } from "@sealhouse/settings";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Settings of the database. */
export const DATABASE_SETTINGS = {
  RunMigrationsAtStartup: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Brings the database schema up to date when the host starts; `sealhouse migrate` " +
      "does it alone.",
  },
  Database__Type: {
    kind: {
      type: "choice",
      values: ["Sqlite", "PostgreSQL", "MySql", "SqlServer"],
      spellings: { Postgres: "PostgreSQL", MariaDb: "MySql" },
    },
    fallback: "Sqlite",
    about:
      "Kind of database; MySql and MariaDb are the same. SqlServer was never run: see " +
      "[database](database.md#databases).",
  },
  Database__Version: {
    kind: { type: "text" },
    otherwise: "nothing",
    about: "Accepted and not needed: a server tells its version itself.",
  },
  Database__ConnectionString: {
    kind: { type: "text" },
    secret: true,
    otherwise: "for Sqlite the file `sealhouse.db` under `Host__DataPath`",
    about: "Connection string, as `Key=Value;…` or as a URL; wins over a named one.",
  },
  Database__StartTimeout: {
    kind: { type: "time-span", minMs: 0, maxMs: DAY_MS },
    fallback: "00:01:00",
    about: "How long the host waits at its start for a database that does not answer yet.",
  },
  Database__ConnectionStringName: {
    kind: { type: "text" },
    otherwise: "the value of `Database__Type`",
    about: "Which entry of `ConnectionStrings` to use.",
  },
  Feed__History__KeepContent: {
    kind: { type: "time-span", minMs: 0, maxMs: 36_500 * DAY_MS },
    fallback: "00:00:00",
    about:
      "How long the content of deleted, replaced and untagged versions stays for " +
      "[views as of a time](as-of.md). 0 keeps none of it.",
  },
  ConnectionStrings: {
    kind: { type: "named" },
    secret: true,
    about: "Named connection strings: `ConnectionStrings__{name}`.",
  },
} as const satisfies SettingsTable;
