import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { createConnection, createPool } from "mysql2";
import type { Connection, ConnectionOptions, Pool, PoolConnection } from "mysql2";
import type { MysqlConfig } from "../connection-string.ts";
import { DatabaseUnavailableError } from "../errors.ts";
import { placeOf } from "../place.ts";
import {
  MYSQL_ANSWER_TIMEOUT_MS,
  isUnanswered,
  isRetryableConflict,
  isUniqueViolation,
} from "./mysql-errors.ts";
import { mysqlValues } from "./mysql-values.ts";
import { UniqueKeyError, decodedRows } from "./query-port.ts";
import type { Parameter, QueryPort, Row, Statement } from "./query-port.ts";
import type { ReservedConnection } from "./reserved-connection.ts";
import { retryConflicts } from "./retry-conflicts.ts";
import { connectionError, withDatabaseErrors } from "./unavailable.ts";

const POOL_MAX = 10;
const CONNECT_TIMEOUT_MS = 5_000;
/** Shorter than the server's own patience with silent connections. */
const IDLE_MS = 30_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/** Longest wait for a connection of the pool: as long as a statement may take. */
const POOL_WAIT_MS = 30_000;

const SQL_MODE = [
  "STRICT_ALL_TABLES",
  "NO_ENGINE_SUBSTITUTION",
  "NO_ZERO_DATE",
  "NO_ZERO_IN_DATE",
  "PIPES_AS_CONCAT",
  "ANSI_QUOTES",
];
/**
 * Session settings. Times are in UTC without zones. Invalid values are rejected instead of
 * truncated. `||` concatenates text and `"` quotes names. Each statement sees earlier commits, as
 * on PostgreSQL, without gap locks.
 */
const SESSION = [
  "set session transaction isolation level read committed",
  "set session time_zone = '+00:00', innodb_lock_wait_timeout = 10," +
    ` sql_mode = '${SQL_MODE.join(",")}'`,
];
/** `wait_timeout` bounds how long a transaction can stay open; the outbox relies on it
 * (events/outbox.ts). MariaDB, which alone reads the rest, also ends statements that hang. */
const BOUNDED_SESSION = [
  ...SESSION,
  "set session wait_timeout = 60 /*M! , max_statement_time = 30 */",
];

/** One pool for prepared lookups and MikroORM. */
export type MysqlConnections = QueryPort & {
  readonly pool: Pool;
  /** Names the database, for its operator. */
  readonly place: string;
  /** A connection of the pool, for one transaction. */
  reserve(): Promise<ReservedConnection>;
  /** Opens a separate connection without timeouts, for migrations and their lock. */
  connect(): Promise<Connection>;
  /** Whether another transaction came in between, so that trying again may succeed. */
  isConflict(error: unknown): boolean;
  /** Whether a row with the same key exists. */
  isUniqueViolation(error: unknown): boolean;
  close(): Promise<void>;
};

/** @throws DatabaseUnavailableError when the server does not answer or does not let us in */
export async function openMysql(
  config: MysqlConfig,
  { poolWaitMs = POOL_WAIT_MS }: { readonly poolWaitMs?: number } = {},
): Promise<MysqlConnections> {
  const options = await reachable(config);
  const place = placeOf(config);
  const pool = createPool({
    ...options,
    connectionLimit: config.poolMax ?? POOL_MAX,
    maxIdle: 0,
    idleTimeout: IDLE_MS,
    gracefulEnd: true,
  });
  boundWaiting(pool, { place, poolWaitMs });
  pool.on("connection", (connection: PoolConnection) => {
    // Waiting calls receive the error of a closed connection. Without a listener it would end the
    // process. The pool has removed the connection already.
    connection.on("error", ignoreDropped);
    // Connections work in turn: these come before whatever wants the connection.
    for (const sql of BOUNDED_SESSION) {
      connection.query(sql, (error) => {
        if (error) connection.destroy();
      });
    }
  });
  return {
    pool,
    place,
    all: (...query) => withDatabaseErrors(place, () => rowsOf(pool, ...query)),
    one: async (...query) => (await withDatabaseErrors(place, () => rowsOf(pool, ...query)))[0],
    async run(...query) {
      try {
        return await withDatabaseErrors(place, () =>
          retryConflicts(isRetryableConflict, () => ask(pool, ...query).then(changesOf)),
        );
      } catch (error) {
        throw isUniqueViolation(error) ? new UniqueKeyError(error) : error;
      }
    },
    reserve: async () => reservedConnection(await acquired(pool)),
    async connect() {
      const connection = await connected(config, options);
      for (const sql of SESSION) await answerOf(connection, { sql });
      return connection;
    },
    isConflict: (error) => isRetryableConflict(error) || isUniqueViolation(error),
    isUniqueViolation,
    close: () =>
      new Promise((resolve, reject) => {
        pool.end((error) => (error ? reject(error) : resolve()));
      }),
  };
}

/** mysql2 waits for a free connection without a limit. Its own `query` takes this way, too. */
function boundWaiting(
  pool: Pool,
  { place, poolWaitMs }: { readonly place: string; readonly poolWaitMs: number },
): void {
  const take = pool.getConnection.bind(pool);
  pool.getConnection = (callback) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      const message = `${place} has no free connection: all of the pool are in use.`;
      const error = new DatabaseUnavailableError(message, { code: "database-overloaded" });
      // mysql2's type requires a connection besides an error; it is unused.
      callback(error, undefined as unknown as PoolConnection);
    }, poolWaitMs);
    take((error, connection) => {
      if (isLate) return connection?.release();
      clearTimeout(timer);
      callback(error, connection);
    });
  };
}

async function rowsOf(pool: Pool, statement: Statement, parameters: readonly Parameter[]) {
  const rows = await ask(pool, statement, parameters);
  return Array.isArray(rows) ? decodedRows(statement, rows as readonly Row[]) : [];
}

async function ask(pool: Pool, statement: Statement, parameters: readonly Parameter[]) {
  const connection = await acquired(pool);
  const { sql } = statement;
  const values = mysqlValues(parameters);
  // Prepared statements stay with their connection; texts put together per call are not worth it.
  const isPrepared = statement.name !== undefined;
  try {
    return await answerInTime(connection, { sql, values, isPrepared });
  } finally {
    connection.release();
  }
}

/** Closes a connection that does not answer in time: its next answer may belong to any question. */
async function answerInTime(connection: Connection, question: Question): Promise<unknown> {
  try {
    return await answerOf(connection, { ...question, timeout: MYSQL_ANSWER_TIMEOUT_MS });
  } catch (error) {
    if (isUnanswered(error)) connection.destroy();
    throw error;
  }
}

function acquired(pool: Pool): Promise<PoolConnection> {
  return new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
  });
}

function reservedConnection(connection: PoolConnection): ReservedConnection {
  const run = async (sql: string) => void (await answerInTime(connection, { sql }));
  return {
    async execute({ name, sql }, values) {
      const isPrepared = name !== undefined;
      const question = { sql, values: [...values], isPrepared };
      const result = await answerInTime(connection, question);
      if (Array.isArray(result)) return { rows: result as Row[], changes: result.length };
      const insertId = Number(Object(result)["insertId"]);
      return { rows: [], changes: changesOf(result), ...(insertId > 0 && { insertId }) };
    },
    begin: () => run("begin"),
    commit: () => run("commit"),
    rollback: () => run("rollback"),
    release: () => connection.release(),
    destroy: () => connection.destroy(),
  };
}

type Question = {
  readonly sql: string;
  readonly values?: unknown[];
  readonly timeout?: number;
  readonly isPrepared?: boolean;
};

/** Rows, or what a change has done. */
function answerOf(connection: Connection, question: Question): Promise<unknown> {
  const { isPrepared = false, ...query } = question;
  return new Promise((resolve, reject) => {
    const answered = (error: unknown, result: unknown) => (error ? reject(error) : resolve(result));
    if (isPrepared) connection.execute(query, answered);
    else connection.query(query, answered);
  });
}

function changesOf(result: unknown): number {
  return Number(Object(result)["affectedRows"] ?? 0);
}

function connected(config: MysqlConfig, options: ConnectionOptions): Promise<Connection> {
  const connection = createConnection(options);
  connection.on("error", ignoreDropped);
  return new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (!error) return resolve(connection);
      connection.destroy();
      reject(connectionError(error, placeOf(config)));
    });
  });
}

/** Verifies the access to the server. Resolves `prefer` to TLS where the server supports it. */
async function reachable(config: MysqlConfig): Promise<ConnectionOptions> {
  const options = optionsOf(config, sslOf(config));
  try {
    (await connected(config, options)).destroy();
    return options;
  } catch (error) {
    if (config.ssl !== "prefer" || !saysNoTls(error)) throw error;
  }
  const plain = optionsOf(config, undefined);
  (await connected(config, plain)).destroy();
  return plain;
}

function saysNoTls(error: unknown): boolean {
  return error instanceof Error && Object(error.cause)["code"] === "HANDSHAKE_NO_SSL_SUPPORT";
}

function optionsOf(config: MysqlConfig, ssl: ConnectionOptions["ssl"]): ConnectionOptions {
  const { host, port, user, password, database } = config;
  return {
    ...(host.startsWith("/") ? { socketPath: host } : { host, port }),
    user,
    ...(password !== undefined && { password }),
    database,
    ...(ssl !== undefined && { ssl }),
    charset: "UTF8MB4_BIN",
    timezone: "Z",
    // Returns integers and sums as numbers; values beyond 2^53 arrive as text and are rejected.
    supportBigNumbers: true,
    decimalNumbers: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableKeepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_AFTER_MS,
  };
}

function sslOf(config: MysqlConfig): ConnectionOptions["ssl"] {
  if (config.ssl === "disable") return undefined;
  // The driver would compare the certificate with "localhost".
  if (config.ssl === "verify-full" && isIP(config.host) !== 0) {
    throw new DatabaseUnavailableError(
      `SSL Mode VerifyFull compares the certificate with a host name, and ${config.host} is an ` +
        "address. Give the name of the MySQL server, or take VerifyCA.",
      { code: "database-refused" },
    );
  }
  const ca =
    config.rootCertificate === undefined ? undefined : readFileSync(config.rootCertificate, "utf8");
  return {
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: config.ssl === "verify-ca" || config.ssl === "verify-full",
    verifyIdentity: config.ssl === "verify-full",
  };
}

function ignoreDropped(): void {}
