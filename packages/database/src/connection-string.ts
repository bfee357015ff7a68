import { ConnectionStringError } from "./errors.ts";

export type SslMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

export type SqliteConfig = {
  readonly type: "Sqlite";
  /** File name, relative to the working folder. Its folder is made when it is missing. */
  readonly path: string;
};

export type PostgresConfig = {
  readonly type: "PostgreSQL";
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  readonly ssl: SslMode;
  /** File with the certificates (PEM) that the server's must descend from. */
  readonly rootCertificate?: string;
  /** Connections at most; default 10, at least 2. */
  readonly poolMax?: number;
};

export type DatabaseConfig = SqliteConfig | PostgresConfig;

/**
 * Reads a connection string in the ADO.NET form (`Host=db;Username=u;…`, `Data Source=a.db`) or as
 * a URL (`postgres://u@db/feed`, `sqlite:a.db`). No error repeats a value, so no password leaks.
 *
 * @throws ConnectionStringError
 */
export function parseConnectionString(type: "Sqlite", text: string): SqliteConfig;
export function parseConnectionString(type: "PostgreSQL", text: string): PostgresConfig;
export function parseConnectionString(type: DatabaseConfig["type"], text: string): DatabaseConfig;
export function parseConnectionString(type: DatabaseConfig["type"], text: string): DatabaseConfig {
  const trimmed = text.trim();
  if (trimmed === "") throw new ConnectionStringError("", "it is empty.");
  if (type === "Sqlite") return sqliteOf(trimmed);
  return postgresOf(/^postgres(?:ql)?:\/\//i.test(trimmed) ? urlPairs(trimmed) : pairsOf(trimmed));
}

type Pairs = ReadonlyMap<string, string>;

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
      "a database in memory is lost with the process; name a file.",
    );
  }
  return path.trim();
}

const POSTGRES_KEYS = new Map([
  ["host", "host"],
  ["server", "host"],
  ["port", "port"],
  ["username", "user"],
  ["user", "user"],
  ["userid", "user"],
  ["uid", "user"],
  ["password", "password"],
  ["pwd", "password"],
  ["database", "database"],
  ["db", "database"],
  ["sslmode", "ssl"],
  ["rootcertificate", "rootCertificate"],
  ["sslrootcert", "rootCertificate"],
  ["maximumpoolsize", "poolMax"],
  ["maxpoolsize", "poolMax"],
]);
/** Npgsql's own tuning and libpq's labels: harmless to leave out. */
const POSTGRES_IGNORED = new Set([
  "applicationname",
  "commandtimeout",
  "connecttimeout",
  "connectionidlelifetime",
  "includeerrordetail",
  "keepalive",
  "minimumpoolsize",
  "minpoolsize",
  "persistsecurityinfo",
  "pooling",
  "timeout",
  "trustservercertificate",
]);
const SSL_MODES = new Map<string, SslMode>([
  ["disable", "disable"],
  ["allow", "prefer"],
  ["prefer", "prefer"],
  ["require", "require"],
  ["verifyca", "verify-ca"],
  ["verifyfull", "verify-full"],
]);

function postgresOf(pairs: Pairs): PostgresConfig {
  const found = new Map<string, string>();
  let previous = "";
  for (const [key, value] of pairs) {
    const name = POSTGRES_KEYS.get(keyOf(key));
    if (name !== undefined) found.set(name, value);
    else if (!POSTGRES_IGNORED.has(keyOf(key))) throw unknownPostgresKey(key, previous);
    previous = key;
  }
  const [password, root, poolMax] = ["password", "rootCertificate", "poolMax"].map((name) =>
    found.get(name),
  );
  const user = required(found, "user", "Username");
  return {
    type: "PostgreSQL",
    host: required(found, "host", "Host"),
    port: wholeNumber(found.get("port") ?? "5432", "Port", { min: 1, max: 65_535 }),
    user,
    ...(password !== undefined && { password }),
    database: found.get("database") ?? user,
    ssl: sslModeOf(found.get("ssl") ?? "prefer"),
    ...(root !== undefined && { rootCertificate: root }),
    ...(poolMax !== undefined && {
      poolMax: wholeNumber(poolMax, "Maximum Pool Size", { min: 2, max: 1_000 }),
    }),
  };
}

function sslModeOf(text: string): SslMode {
  const mode = SSL_MODES.get(keyOf(text));
  if (mode) return mode;
  throw new ConnectionStringError(
    "SSL Mode",
    "it must be Disable, Prefer, Require, VerifyCA or VerifyFull.",
  );
}

function required(found: ReadonlyMap<string, string>, name: string, key: string): string {
  const value = found.get(name);
  if (value === undefined || value === "") throw new ConnectionStringError(key, "it is missing.");
  return value;
}

function wholeNumber(text: string, key: string, range: { min: number; max: number }): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= range.min && number <= range.max) return number;
  throw new ConnectionStringError(key, `it must be a number from ${range.min} to ${range.max}.`);
}

function urlPairs(text: string): Pairs {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new ConnectionStringError("URL", "it is no valid URL.");
  const given: [string, string][] = [
    ["host", decoded(url.hostname.replace(/^\[(.*)\]$/, "$1"), "host")],
    ["port", url.port],
    ["user", decoded(url.username, "user name")],
    ["password", decoded(url.password, "password")],
    ["database", decoded(url.pathname.slice(1), "database")],
  ];
  return new Map([...given.filter(([, value]) => value !== ""), ...url.searchParams]);
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConnectionStringError(part, "a % in it is not followed by two hexadecimal digits.");
  }
}

const PAIR = /\s*([^=;]+?)\s*=\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([^;]*?))\s*(?:;|$)/y;

/** `Key=Value;…`; a value with a semicolon stands in quotes, which are doubled inside. */
function pairsOf(text: string): Pairs {
  const pairs = new Map<string, string>();
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < text.length) {
    const start = PAIR.lastIndex;
    const match = PAIR.exec(text);
    if (!match) {
      if (/^[\s;]*$/.test(text.slice(start))) break;
      throw new ConnectionStringError(
        `part ${pairs.size + 1}`,
        'parts have the form "Key=Value" and are separated by semicolons.',
      );
    }
    const [, key = "", double, single, plain = ""] = match;
    pairs.set(key, double?.replaceAll('""', '"') ?? single?.replaceAll("''", "'") ?? plain);
  }
  return pairs;
}

function keyOf(key: string): string {
  return key.toLowerCase().replaceAll(/[\s_-]/g, "");
}

/** What follows a password may be the rest of it (a semicolon without quotes): it is not named. */
function unknownPostgresKey(key: string, previous: string): ConnectionStringError {
  if (POSTGRES_KEYS.get(keyOf(previous)) !== "password") {
    return unknownKey(key, ["Host", "Port", "Username", "Password", "Database", "SSL Mode"]);
  }
  return new ConnectionStringError(
    `what follows ${previous}`,
    "it is not known. A value that holds a semicolon stands in quotes.",
  );
}

function unknownKey(key: string, known: readonly string[]): ConnectionStringError {
  return new ConnectionStringError(key, `it is not known. Known: ${known.join(", ")}.`);
}
