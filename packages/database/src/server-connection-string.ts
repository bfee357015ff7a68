import type { ServerPlace, SslMode } from "./server-place.ts";
import { keyOf, unknownKey } from "./connection-string-pairs.ts";
import type { Pairs } from "./connection-string-pairs.ts";
import { ConnectionStringError } from "./errors.ts";

type Part = keyof ServerPlace;

/** Names of the connection string parts for one kind of server. */
export type ServerDialect = {
  /** Names for messages. */
  readonly host: string;
  readonly user: string;
  readonly defaultPort: string;
  /** Whether a missing database is the one named like the user. */
  readonly databaseOfUser: boolean;
  readonly keys: ReadonlyMap<string, Part>;
  /** The .NET driver's own tuning: harmless to leave out. */
  readonly ignored: ReadonlySet<string>;
  readonly sslModes: ReadonlyMap<string, SslMode>;
  readonly sslModeNames: string;
};

const BOTH_KEYS: readonly [string, Part][] = [
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
  ["sslmode", "ssl"],
  ["maximumpoolsize", "poolMax"],
  ["maxpoolsize", "poolMax"],
];
const BOTH_IGNORED = [
  "applicationname",
  "commandtimeout",
  "connecttimeout",
  "keepalive",
  "minimumpoolsize",
  "minpoolsize",
  "persistsecurityinfo",
  "pooling",
];
const BOTH_SSL_MODES: readonly [string, SslMode][] = [
  ["prefer", "prefer"],
  ["require", "require"],
  ["verifyca", "verify-ca"],
  ["verifyfull", "verify-full"],
];

/** As Npgsql and libpq write it. */
export const POSTGRES: ServerDialect = {
  host: "Host",
  user: "Username",
  defaultPort: "5432",
  databaseOfUser: true,
  keys: new Map([
    ...BOTH_KEYS,
    ["db", "database"],
    ["rootcertificate", "rootCertificate"],
    ["sslrootcert", "rootCertificate"],
  ]),
  ignored: new Set([
    ...BOTH_IGNORED,
    "connectionidlelifetime",
    "includeerrordetail",
    "timeout",
    "trustservercertificate",
  ]),
  sslModes: new Map([...BOTH_SSL_MODES, ["disable", "disable"], ["allow", "prefer"]]),
  sslModeNames: "Disable, Prefer, Require, VerifyCA or VerifyFull",
};

/** As MySqlConnector, Connector/NET and MySQL's own programs write it. */
export const MYSQL: ServerDialect = {
  host: "Server",
  user: "User ID",
  defaultPort: "3306",
  databaseOfUser: false,
  keys: new Map([
    ...BOTH_KEYS,
    ["datasource", "host"],
    ["address", "host"],
    ["addr", "host"],
    ["networkaddress", "host"],
    ["initialcatalog", "database"],
    ["cacertificatefile", "rootCertificate"],
    ["sslca", "rootCertificate"],
    ["ssl", "ssl"],
  ]),
  ignored: new Set([
    ...BOTH_IGNORED,
    "allowpublickeyretrieval",
    "allowuservariables",
    "autoenlist",
    "characterset",
    "charset",
    "connectionidletimeout",
    "connectionlifetime",
    "connectionprotocol",
    "connectionreset",
    "connectiontimeout",
    "convertzerodatetime",
    "datetimekind",
    "defaultcommandtimeout",
    "guidformat",
    "ignorepreparedstatements",
    "ignoreprepare",
    "oldguids",
    "protocol",
    "treattinyasboolean",
    "useaffectedrows",
    "usecompression",
  ]),
  sslModes: new Map([
    ...BOTH_SSL_MODES,
    ["none", "disable"],
    ["disabled", "disable"],
    ["preferred", "prefer"],
    ["required", "require"],
    ["true", "require"],
    ["verifyidentity", "verify-full"],
  ]),
  sslModeNames: "None, Preferred, Required, VerifyCA or VerifyFull",
};

/** @throws ConnectionStringError */
export function serverOf(dialect: ServerDialect, pairs: Pairs): ServerPlace {
  const parts = partsOf(dialect, pairs);
  const [password, root, poolMax] = (["password", "rootCertificate", "poolMax"] as const).map(
    (part) => parts.get(part),
  );
  const user = required(parts, "user", dialect.user);
  return {
    host: required(parts, "host", dialect.host),
    port: wholeNumber(parts.get("port") ?? dialect.defaultPort, "Port", { min: 1, max: 65_535 }),
    user,
    ...(password !== undefined && { password }),
    database: dialect.databaseOfUser
      ? (parts.get("database") ?? user)
      : required(parts, "database", "Database"),
    ssl: sslModeOf(dialect, parts.get("ssl") ?? "prefer"),
    ...(root !== undefined && { rootCertificate: root }),
    ...(poolMax !== undefined && {
      poolMax: wholeNumber(poolMax, "Maximum Pool Size", { min: 2, max: 1_000 }),
    }),
  };
}

function partsOf({ keys, ignored, ...names }: ServerDialect, pairs: Pairs) {
  const parts = new Map<Part, string>();
  let previous = "";
  for (const [key, value] of pairs) {
    const part = keys.get(keyOf(key));
    if (part !== undefined) parts.set(part, value);
    else if (!ignored.has(keyOf(key))) {
      // What follows a password may be the rest of it (a semicolon without quotes): not named.
      if (keys.get(keyOf(previous)) === "password") throw unquoted(previous);
      const knownKeys = [names.host, "Port", names.user, "Password", "Database", "SSL Mode"];
      throw unknownKey(key, knownKeys);
    }
    previous = key;
  }
  return parts;
}

export function unquoted(previous: string): ConnectionStringError {
  return new ConnectionStringError(
    `what follows ${previous}`,
    "unknown part. Put a value with a semicolon in quotes.",
  );
}

function sslModeOf({ sslModes, sslModeNames }: ServerDialect, text: string): SslMode {
  const mode = sslModes.get(keyOf(text));
  if (mode) return mode;
  throw new ConnectionStringError("SSL Mode", `it must be ${sslModeNames}.`);
}

function required(parts: ReadonlyMap<Part, string>, name: Part, key: string): string {
  const value = parts.get(name);
  if (value === undefined || value === "") throw new ConnectionStringError(key, "it is missing.");
  return value;
}

export function wholeNumber(
  text: string,
  key: string,
  range: { readonly min: number; readonly max: number },
): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= range.min && number <= range.max) return number;
  throw new ConnectionStringError(key, `it must be a number from ${range.min} to ${range.max}.`);
}
