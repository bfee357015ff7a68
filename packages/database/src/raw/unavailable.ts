import { DatabaseUnavailableError } from "../errors.ts";
import type { DatabaseUnavailability } from "../errors.ts";

// The only module that knows which driver errors mean an unavailable database. Loads no driver.

/** PostgreSQL's SQLSTATE, SQLite's result codes, the codes of Node, mysql2 and tedious. */
const BY_CODE: readonly (readonly [RegExp, DatabaseUnavailability])[] = [
  [/^57P03$/, "database-starting"],
  [/^53(?:200|300|400)$/, "database-overloaded"],
  [/^53100$|^SQLITE_FULL$/, "database-full"],
  [/^25006$|^SQLITE_READONLY/, "database-read-only"],
  [/^57014$|^55P03$|^40001$|^40P01$|^SQLITE_BUSY|^SQLITE_LOCKED/, "database-busy"],
  [/^28000$|^28P01$|^3D000$/, "database-refused"],
  [/^57P0[125]$|^25P03$|^08...$|^58030$|^SQLITE_IOERR|^SQLITE_CANTOPEN/, "database-unreachable"],
  [/^E(?:CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT)$/, "database-unreachable"],
  [/^E(?:HOSTUNREACH|NETUNREACH|NETDOWN|NOTFOUND|AI_AGAIN)$/, "database-unreachable"],
  [/^PROTOCOL_(?:CONNECTION_LOST|SEQUENCE_TIMEOUT)$/, "database-unreachable"],
  [/^E(?:SOCKET|TIMEOUT|CLOSE|CONNCLOSED|INVALIDSTATE|INSTLOOKUP)$/, "database-unreachable"],
  [/^ELOGIN$/, "database-refused"],
];

/** MySQL's and MariaDB's numbers. */
const BY_NUMBER = new Map<number, DatabaseUnavailability>([
  ...([1040, 1203, 1226] as const).map((errno) => [errno, "database-overloaded"] as const),
  ...([1021, 1114] as const).map((errno) => [errno, "database-full"] as const),
  ...([1290, 1792, 1836] as const).map((errno) => [errno, "database-read-only"] as const),
  ...([1020, 1205, 1213, 1467, 1969, 3024] as const).map(
    (errno) => [errno, "database-busy"] as const,
  ),
  ...([1044, 1045, 1049] as const).map((errno) => [errno, "database-refused"] as const),
  ...([1053, 1077, 1079, 1317, 1927] as const).map(
    (errno) => [errno, "database-unreachable"] as const,
  ),
]);

/** SQL Server's numbers, those of Azure SQL Database among them. */
const BY_SQL_SERVER_NUMBER = new Map<number, DatabaseUnavailability>([
  ...numbered("database-overloaded", [701, 8645, 8651, 10928, 10929, 17809, 40501, 49918, 49919]),
  ...numbered("database-full", [1101, 1104, 1105, 9002, 40544]),
  ...numbered("database-read-only", [3906, 3908]),
  ...numbered("database-busy", [1204, 1205, 1222, 3960]),
  ...numbered("database-refused", [229, 262, 916, 4060, 18452, 18456, 18470, 18486, 18487, 18488]),
  ...numbered("database-starting", [921, 922, 927, 9001, 18401, 40613]),
  ...numbered("database-unreachable", [596, 942, 976, 983, 6002, 6005, 40197]),
]);

function numbered(code: DatabaseUnavailability, numbers: readonly number[]) {
  return numbers.map((number) => [number, code] as const);
}

/** Driver messages without an error code. */
const BY_MESSAGE: readonly (readonly [RegExp, DatabaseUnavailability])[] = [
  [/No space left on device|error 28\b|errcode: 28\b/i, "database-full"],
  [/timeout exceeded when trying to connect/, "database-overloaded"],
  [/Connection terminated|not queryable|Query read timeout/, "database-unreachable"],
  [/in closed state|Pool is closed|after calling end on the pool/, "database-unreachable"],
];

const WORDS: Readonly<Record<DatabaseUnavailability, string>> = {
  "database-unreachable": "does not answer",
  "database-refused": "refuses the connection",
  "database-starting": "is not ready",
  "database-overloaded": "has no free connection",
  "database-busy": "is locked or busy",
  "database-read-only": "is read-only",
  "database-full": "has no space left",
};

/**
 * Converts errors of an unavailable, busy or full database to one error class; returns all others
 * unchanged. `place` names the database.
 */
export function databaseErrorOf(error: unknown, place: string): unknown {
  if (error instanceof DatabaseUnavailableError) return error;
  const code = unavailabilityOf(error);
  if (code === undefined) return error;
  const why = error instanceof Error ? error.message : String(error);
  const message = `${place} ${WORDS[code]}: ${why.trim() || "no answer"}`;
  const ended = /[.!?]$/.test(message) ? message : `${message}.`;
  return new DatabaseUnavailableError(ended, { code, cause: error });
}

/** The same for an error of connecting, whatever it is. */
export function connectionError(error: unknown, place: string): DatabaseUnavailableError {
  const databaseError = databaseErrorOf(error, place);
  if (databaseError instanceof DatabaseUnavailableError) return databaseError;
  const why = error instanceof Error ? error.message : String(error);
  const message = `${place} ${WORDS["database-refused"]}: ${why || "no answer"}.`;
  return new DatabaseUnavailableError(message, { code: "database-refused", cause: error });
}

/** Undefined: the database answered, and its answer is the error. */
export function unavailabilityOf(error: unknown): DatabaseUnavailability | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  const { code, errno, number } = error as {
    readonly code?: unknown;
    readonly errno?: unknown;
    readonly number?: unknown;
  };
  const of = (table: typeof BY_CODE, text: string) =>
    table.find(([pattern]) => pattern.test(text))?.[1];
  return (
    (typeof errno === "number" ? BY_NUMBER.get(errno) : undefined) ??
    (typeof number === "number" ? BY_SQL_SERVER_NUMBER.get(number) : undefined) ??
    (typeof code === "string" ? of(BY_CODE, code) : undefined) ??
    of(BY_MESSAGE, message)
  );
}

export async function withDatabaseErrors<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw databaseErrorOf(error, place);
  }
}
