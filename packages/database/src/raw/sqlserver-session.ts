import { readFileSync } from "node:fs";
import { Connection, Request } from "tedious";
import type { ConnectionConfiguration } from "tedious";
import type { SqlServerConfig } from "../connection-string.ts";
import { DatabaseUnavailableError } from "../errors.ts";
import { placeOf } from "../place.ts";
import type { Statement } from "./query-port.ts";
import type { Executed } from "./reserved-connection.ts";
import { decisiveError, isUnanswered } from "./sqlserver-errors.ts";
import { cellValue, typedParameter } from "./sqlserver-values.ts";
import type { Cell } from "./sqlserver-values.ts";
import { connectionError } from "./unavailable.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** A server that does not confirm a cancellation in this time loses the connection. */
const CANCEL_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 10_000;

/** One connection to SQL Server. */
export type SqlServerSession = {
  /** Executes a text with `@1`, `@2`, … by `sp_executesql`, which shares plans by text. */
  readonly execute: (
    sql: string,
    values: readonly unknown[],
    types?: Statement["types"],
  ) => Promise<Executed>;
  /** Executes a text without parameters. */
  readonly batch: (sql: string) => Promise<Executed>;
  readonly isOpen: () => boolean;
  readonly close: () => void;
};

/**
 * Opens a connection. With a time limit, statements may take that long, and wait ten seconds for a
 * lock.
 *
 * @throws DatabaseUnavailableError
 */
export async function openSession(
  config: SqlServerConfig,
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): Promise<SqlServerSession> {
  const place = placeOf(config);
  const connection = new Connection(configurationOf(config, timeoutMs ?? 0));
  let isOpen = true;
  connection.on("end", () => (isOpen = false));
  const close = () => {
    isOpen = false;
    connection.close();
  };
  try {
    await connected(connection);
  } catch (error) {
    close();
    throw connectionError(decisiveError(error), place);
  }
  // Waiting calls receive the error of a closed connection. Without a listener it would end the
  // process.
  connection.on("error", close);
  const ask = async (request: (answered: Answered) => Request, isBatch: boolean) => {
    try {
      return await answerOf(connection, request, isBatch);
    } catch (error) {
      if (!isUnanswered(error)) throw decisiveError(error);
      // Its next answer may belong to any question.
      close();
      const message = `${place} is locked or busy: a statement took longer than ${timeoutMs} ms.`;
      throw new DatabaseUnavailableError(message, { code: "database-busy", cause: error });
    }
  };
  const session: SqlServerSession = {
    execute: (sql, values, types) =>
      ask((answered) => {
        const request = new Request(sql, answered);
        for (const [index, value] of values.entries()) {
          const { type, options, ...typed } = typedParameter(value, types?.[index]);
          request.addParameter(String(index + 1), type, typed.value, options);
        }
        return request;
      }, false),
    batch: (sql) => ask((answered) => new Request(sql, answered), true),
    isOpen: () => isOpen,
    close,
  };
  if (timeoutMs !== undefined) await session.batch(`set lock_timeout ${LOCK_TIMEOUT_MS}`);
  return session;
}

type Answered = ConstructorParameters<typeof Request>[1];

/** The rows of the last result, and the number of changed or returned rows. */
function answerOf(
  connection: Connection,
  requestFor: (answered: Answered) => Request,
  isBatch: boolean,
): Promise<Executed> {
  const { promise, resolve, reject } = Promise.withResolvers<Executed>();
  const rows: Record<string, unknown>[] = [];
  let unreadable: unknown;
  const request = requestFor((error, changes = 0) => {
    if (error ?? unreadable) reject(error ?? unreadable);
    else resolve({ rows, changes });
  });
  request.on("row", (cells: readonly Cell[]) => {
    try {
      rows.push(Object.fromEntries(cells.map((cell) => [cell.metadata.colName, cellValue(cell)])));
    } catch (error) {
      unreadable = error;
    }
  });
  if (isBatch) connection.execSqlBatch(request);
  else connection.execSql(request);
  return promise;
}

function connected(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
}

/** The driver's options. */
export function configurationOf(
  config: SqlServerConfig,
  requestTimeout: number,
): ConnectionConfiguration {
  const { host, port, instance, user, password, database, ssl, isStrict, rootCertificate } = config;
  const ca = rootCertificate === undefined ? undefined : readFileSync(rootCertificate, "utf8");
  const isEncrypted = ssl !== "disable";
  return {
    server: host,
    authentication: {
      type: "default",
      options: { userName: user, ...(password !== undefined && { password }) },
    },
    options: {
      database,
      ...(instance === undefined ? { port } : { instanceName: instance }),
      encrypt: isStrict === true ? "strict" : isEncrypted,
      trustServerCertificate: ssl === "prefer" || ssl === "require",
      ...(config.certificateHost !== undefined && { serverName: config.certificateHost }),
      ...(ca !== undefined && { cryptoCredentialsDetails: { ca } }),
      appName: "sealhouse",
      connectTimeout: CONNECT_TIMEOUT_MS,
      cancelTimeout: CANCEL_TIMEOUT_MS,
      requestTimeout,
      // The callers try again.
      maxRetriesOnTransientErrors: 0,
      // Otherwise a failed statement would leave its transaction open, unlike in PostgreSQL.
      abortTransactionOnError: true,
      useUTC: true,
      enableArithAbort: true,
      rowCollectionOnRequestCompletion: false,
    },
  };
}
