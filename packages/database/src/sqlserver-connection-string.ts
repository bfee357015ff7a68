import { keyOf, unknownKey } from "./connection-string-pairs.ts";
import type { Pairs } from "./connection-string-pairs.ts";
import { ConnectionStringError } from "./errors.ts";
import { unquoted, wholeNumber } from "./server-connection-string.ts";
import type { SqlServerPlace, SslMode } from "./server-place.ts";

type Part =
  | "server"
  | "port"
  | "user"
  | "password"
  | "database"
  | "encrypt"
  | "trust"
  | "rootCertificate"
  | "certificateHost"
  | "poolMax";

/** As Microsoft.Data.SqlClient and System.Data.SqlClient write it. */
const KEYS: ReadonlyMap<string, Part> = new Map([
  ["server", "server"],
  ["datasource", "server"],
  ["address", "server"],
  ["addr", "server"],
  ["networkaddress", "server"],
  ["host", "server"],
  ["port", "port"],
  ["user", "user"],
  ["userid", "user"],
  ["uid", "user"],
  ["password", "password"],
  ["pwd", "password"],
  ["database", "database"],
  ["initialcatalog", "database"],
  ["encrypt", "encrypt"],
  ["trustservercertificate", "trust"],
  ["servercertificate", "rootCertificate"],
  ["rootcertificate", "rootCertificate"],
  ["hostnameincertificate", "certificateHost"],
  ["maxpoolsize", "poolMax"],
  ["maximumpoolsize", "poolMax"],
]);

/** The .NET driver's own tuning: harmless to leave out. */
const IGNORED: ReadonlySet<string> = new Set([
  "app",
  "applicationname",
  "asynchronousprocessing",
  "columnencryptionsetting",
  "commandtimeout",
  "connectiontimeout",
  "connectretrycount",
  "connectretryinterval",
  "connecttimeout",
  "connectionlifetime",
  "currentlanguage",
  "enlist",
  "ipaddresspreference",
  "language",
  "loadbalancetimeout",
  "minpoolsize",
  "minimumpoolsize",
  "mars",
  "multipleactiveresultsets",
  "multisubnetfailover",
  "packetsize",
  "persistsecurityinfo",
  "poolblockingperiod",
  "pooling",
  "replication",
  "timeout",
  "transactionbinding",
  "typesystemversion",
  "workstationid",
  "wsid",
]);

const NO: ReadonlySet<string> = new Set(["false", "no", "0"]);
const YES: ReadonlySet<string> = new Set(["true", "yes", "1"]);

/** Keys that would change the meaning, with the values that do not and what to do instead. */
const REFUSED: ReadonlyMap<string, { readonly harmless: RegExp; readonly advice: string }> =
  new Map([
    ...["integratedsecurity", "trustedconnection"].map(
      (key) =>
        [
          key,
          {
            harmless: /^(?:false|no)$/,
            advice: "use an account of SQL Server: User ID and Password.",
          },
        ] as const,
    ),
    [
      "authentication",
      { harmless: /^(?:sqlpassword|notspecified)$/, advice: "only SqlPassword is supported." },
    ],
    [
      "applicationintent",
      { harmless: /^readwrite$/, advice: "the database must be writable: use ReadWrite." },
    ],
    ["failoverpartner", { harmless: /^$/, advice: "name the listener of an availability group." }],
    ["attachdbfilename", { harmless: /^$/, advice: "attach the database on the server." }],
    ["userinstance", { harmless: /^(?:false|no)$/, advice: "user instances are not supported." }],
    [
      "contextconnection",
      { harmless: /^(?:false|no)$/, advice: "it works inside SQL Server only." },
    ],
  ]);

/** @throws ConnectionStringError */
export function sqlServerOf(pairs: Pairs): SqlServerPlace {
  const given = partsOf(pairs);
  const password = given.get("password");
  const poolMax = given.get("poolMax");
  const rootCertificate = given.get("rootCertificate");
  const certificateHost = given.get("certificateHost");
  return {
    ...serverIn(required(given, "server", "Server"), given.get("port")),
    user: required(given, "user", "User ID"),
    ...(password !== undefined && { password }),
    database: required(given, "database", "Database"),
    ...encryptionOf(given),
    ...(rootCertificate !== undefined && { rootCertificate }),
    ...(certificateHost !== undefined && { certificateHost }),
    ...(poolMax !== undefined && {
      poolMax: wholeNumber(poolMax, "Max Pool Size", { min: 2, max: 1_000 }),
    }),
  };
}

function partsOf(pairs: Pairs): ReadonlyMap<Part, string> {
  const parts = new Map<Part, string>();
  let previous = "";
  for (const [key, value] of pairs) {
    const part = KEYS.get(keyOf(key));
    const refused = REFUSED.get(keyOf(key));
    if (part !== undefined) parts.set(part, value);
    else if (refused) {
      if (!refused.harmless.test(keyOf(value)))
        throw new ConnectionStringError(key, refused.advice);
    } else if (!IGNORED.has(keyOf(key))) {
      // What follows a password may be the rest of it (a semicolon without quotes): not named.
      if (KEYS.get(keyOf(previous)) === "password") throw unquoted(previous);
      const keys = [
        "Server",
        "User ID",
        "Password",
        "Database",
        "Encrypt",
        "TrustServerCertificate",
      ];
      throw unknownKey(key, keys);
    }
    previous = key;
  }
  return parts;
}

/** `tcp:host,1433`, `host` or `host\instance`. */
function serverIn(
  text: string,
  port: string | undefined,
): Pick<SqlServerPlace, "host" | "port" | "instance"> {
  const match = /^(?:tcp:)?([^\s:,\\]+|\[[^\]]+\]|[0-9a-f:]+)(?:\\([^\s,\\]+))?(?:,(\d+))?$/i.exec(
    text.trim(),
  );
  if (!match) {
    throw new ConnectionStringError("Server", "use host, host,port or host\\instance, over TCP.");
  }
  const [, name = "", instance, ownPort] = match;
  const host =
    name === "." || /^\(local\)$/i.test(name) ? "localhost" : name.replace(/^\[|\]$/g, "");
  if (host.startsWith("(")) {
    throw new ConnectionStringError("Server", "LocalDB listens to local pipes only.");
  }
  const given = ownPort ?? port;
  return {
    host,
    port: wholeNumber(given ?? "1433", "Port", { min: 1, max: 65_535 }),
    // A port wins over the name of an instance, as in .NET.
    ...(instance !== undefined && given === undefined && { instance }),
  };
}

function encryptionOf(given: ReadonlyMap<Part, string>): Pick<SqlServerPlace, "ssl" | "isStrict"> {
  const encrypt = keyOf(given.get("encrypt") ?? "true");
  const trust = keyOf(given.get("trust") ?? "false");
  if (!NO.has(trust) && !YES.has(trust)) {
    throw new ConnectionStringError("TrustServerCertificate", "it must be True or False.");
  }
  const verified: SslMode = YES.has(trust) ? "require" : "verify-full";
  if (encrypt === "strict") return { ssl: "verify-full", isStrict: true };
  if (NO.has(encrypt) || encrypt === "optional") return { ssl: "disable" };
  if (YES.has(encrypt) || encrypt === "mandatory") return { ssl: verified };
  throw new ConnectionStringError("Encrypt", "it must be Mandatory, Optional or Strict.");
}

function required(given: ReadonlyMap<Part, string>, name: Part, key: string): string {
  const value = given.get(name);
  if (value === undefined || value === "") throw new ConnectionStringError(key, "it is missing.");
  return value;
}
