import { isIP } from "node:net";
import { decoded, keyOf, pairsOf, unknownKey, urlPairs } from "./connection-string-pairs.ts";
import type { Pairs } from "./connection-string-pairs.ts";
import { ConnectionStringError } from "./errors.ts";
import { MYSQL, POSTGRES, serverOf } from "./server-connection-string.ts";
import type { ServerPlace, SqlServerPlace } from "./server-place.ts";
import { sqlServerOf } from "./sqlserver-connection-string.ts";

/** A SQLite database. */
export type SqliteConfig = {
  readonly type: "Sqlite";
  /** File name, relative to the working folder. Its folder is created when it is missing. */
  readonly path: string;
  /** Full key of the setting with the path, for errors. */
  readonly setting?: string;
};

/** A PostgreSQL database. */
export type PostgresConfig = ServerPlace & { readonly type: "PostgreSQL" };
/** MySQL 8 or MariaDB 10.6 and later. */
export type MysqlConfig = ServerPlace & { readonly type: "MySql" };
/** SQL Server 2019 or later, or Azure SQL Database. */
export type SqlServerConfig = SqlServerPlace & { readonly type: "SqlServer" };

/** A parsed connection string. */
export type DatabaseConfig = SqliteConfig | PostgresConfig | MysqlConfig | SqlServerConfig;

/**
 * Reads a connection string in the ADO.NET form (`Host=db;Username=u;…`, `Data Source=a.db`) or as
 * a URL (`postgres://u@db/feed`, `mysql://u@db/feed`, `sqlite:a.db`). No error repeats a value, so
 * no password leaks.
 *
 * @throws ConnectionStringError
 */
export function parseConnectionString(type: "Sqlite", text: string): SqliteConfig;
export function parseConnectionString(type: "PostgreSQL", text: string): PostgresConfig;
export function parseConnectionString(type: "MySql", text: string): MysqlConfig;
export function parseConnectionString(type: "SqlServer", text: string): SqlServerConfig;
export function parseConnectionString(type: DatabaseConfig["type"], text: string): DatabaseConfig;
export function parseConnectionString(type: DatabaseConfig["type"], text: string): DatabaseConfig {
  const trimmed = text.trim();
  if (trimmed === "") throw new ConnectionStringError("", "it is empty.");
  switch (type) {
    case "Sqlite":
      return sqliteOf(trimmed);
    case "PostgreSQL":
      return { type, ...serverOf(POSTGRES, parsePairs(trimmed, /^postgres(?:ql)?:\/\//i)) };
    case "MySql":
      return { type, ...mysqlPlace(parsePairs(trimmed, /^(?:mysql|mariadb):\/\//i)) };
    case "SqlServer":
      return { type, ...sqlServerOf(parsePairs(trimmed, /^(?:mssql|sqlserver):\/\//i)) };
  }
}

/** The driver compares certificates with host names alone. @throws ConnectionStringError */
function mysqlPlace(pairs: Pairs): ServerPlace {
  const place = serverOf(MYSQL, pairs);
  if (place.ssl !== "verify-full" || isIP(place.host) === 0) return place;
  throw new ConnectionStringError(
    "SSL Mode",
    "VerifyFull compares the certificate with a host name, and Server is an IP address. Give the " +
      "name of the MySQL server, or use VerifyCA.",
  );
}

function parsePairs(text: string, url: RegExp) {
  return url.test(text) ? urlPairs(text) : pairsOf(text);
}

const SQLITE_KEYS = new Map([
  ["datasource", "path"],
  ["filename", "path"],
  ["filepath", "path"],
]);
/** Legal for SQLite in .NET, and of no meaning here. */
const SQLITE_IGNORED = new Set(["cache", "mode", "foreignkeys", "pooling", "defaulttimeout"]);

function sqliteOf(text: string): SqliteConfig {
  const url = /^(?:sqlite|file):(?:\/\/)?(.+)$/i.exec(text)?.[1];
  if (url !== undefined) return { type: "Sqlite", path: sqlitePath(decoded(url, "path")) };
  if (!text.includes("=")) return { type: "Sqlite", path: sqlitePath(text) };
  let path: string | undefined;
  for (const [key, value] of pairsOf(text)) {
    if (SQLITE_KEYS.has(keyOf(key))) path = value;
    else if (!SQLITE_IGNORED.has(keyOf(key))) throw unknownKey(key, ["Data Source"]);
  }
  if (path === undefined) throw new ConnectionStringError("Data Source", "it is missing.");
  return { type: "Sqlite", path: sqlitePath(path) };
}

function sqlitePath(path: string): string {
  if (path.trim() === "") throw new ConnectionStringError("Data Source", "it is empty.");
  if (/:memory:/i.test(path)) {
    throw new ConnectionStringError(
      "Data Source",
      "a database in memory ends with the process; use a file.",
    );
  }
  return path.trim();
}
