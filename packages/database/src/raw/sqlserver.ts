import type { SqlServerConfig } from "../connection-string.ts";
import { DatabaseUnavailableError } from "../errors.ts";
import { placeOf } from "../place.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { UniqueKeyError, decodedRows } from "./query-port.ts";
import type { Parameter, QueryPort, Statement } from "./query-port.ts";
import type { Executed, ReservedConnection } from "./reserved-connection.ts";
import { retryConflicts } from "./retry-conflicts.ts";
import { isRetryableConflict, isUniqueViolation } from "./sqlserver-errors.ts";
import { openSession } from "./sqlserver-session.ts";
import type { SqlServerSession } from "./sqlserver-session.ts";
import { sqlServerText } from "./sqlserver-statement.ts";
import { withDatabaseErrors } from "./unavailable.ts";

const POOL_MAX = 10;
const IDLE_MS = 30_000;
const POOL_WAIT_MS = 30_000;
/** No statement of ours takes this long; one that does hangs on a lock or a dead peer. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Bounds how long a transaction can stay open; the outbox relies on it (events/outbox.ts). The
 * server has no such limit, so the driver closes the connection. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/** One pool for prepared lookups and transactions. */
export type SqlServerConnections = QueryPort & {
  /** Names the database, for its operator. */
  readonly place: string;
  /** A connection of the pool, for one transaction. */
  reserve(): Promise<ReservedConnection>;
  /** Opens a separate connection without timeouts, for migrations and their lock. */
  connect(): Promise<SqlServerSession>;
  /** Whether another transaction came in between, so that trying again may succeed. */
  isConflict(error: unknown): boolean;
  /** Whether a row with the same key exists. */
  isUniqueViolation(error: unknown): boolean;
  close(): Promise<void>;
};

/** Opens sessions; the driver's, or a test's. */
export type OpenSession = (limits?: { readonly timeoutMs?: number }) => Promise<SqlServerSession>;

/** @throws DatabaseUnavailableError when the server does not answer or does not let us in */
export async function openSqlServer(
  config: SqlServerConfig,
  open: OpenSession = (limits) => openSession(config, limits),
): Promise<SqlServerConnections> {
  const place = placeOf(config);
  await requireRowVersions(open, config);
  const pool = new ConnectionPool<SqlServerSession>({
    open: () => open({ timeoutMs: STATEMENT_TIMEOUT_MS }),
    close: (session) => session.close(),
    isOpen: (session) => session.isOpen(),
    max: config.poolMax ?? POOL_MAX,
    idleMs: IDLE_MS,
    waitMs: POOL_WAIT_MS,
    overloaded: () =>
      new DatabaseUnavailableError(`${place} has no free connection: all of the pool are in use.`, {
        code: "database-overloaded",
      }),
  });
  const ask = (...query: Query) => withDatabaseErrors(place, () => answerOf(pool, ...query));
  return {
    place,
    all: async (statement, parameters) =>
      decodedRows(statement, (await ask(statement, parameters)).rows),
    one: async (statement, parameters) =>
      decodedRows(statement, (await ask(statement, parameters)).rows)[0],
    async run(...query) {
      try {
        const attempt = () => answerOf(pool, ...query);
        const { changes } = await withDatabaseErrors(place, () =>
          retryConflicts(isRetryableConflict, attempt),
        );
        return changes;
      } catch (error) {
        throw isUniqueViolation(error) ? new UniqueKeyError(error) : error;
      }
    },
    reserve: async () => reservedConnection(pool, await pool.acquire()),
    connect: () => open(),
    isConflict: (error) => isRetryableConflict(error) || isUniqueViolation(error),
    isUniqueViolation,
    close: () => pool.end(),
  };
}

type Query = [statement: Statement, parameters: readonly Parameter[]];

async function answerOf(
  pool: ConnectionPool<SqlServerSession>,
  ...[statement, parameters]: Query
): Promise<Executed> {
  const session = await pool.acquire();
  try {
    return await session.execute(sqlServerText(statement), parameters, statement.types);
  } finally {
    pool.release(session);
  }
}

/**
 * One transaction. An error of a statement ends it on the server, as in PostgreSQL. Later
 * statements would each commit by themselves, so they are refused.
 */
function reservedConnection(
  pool: ConnectionPool<SqlServerSession>,
  session: SqlServerSession,
): ReservedConnection {
  let hasFailed = false;
  let idle: NodeJS.Timeout | undefined;
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    clearTimeout(idle);
    try {
      if (hasFailed) throw new Error("The server rolled back the transaction.");
      return await work();
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      idle = setTimeout(() => session.close(), IDLE_IN_TRANSACTION_MS);
      idle.unref();
    }
  };
  const leave = (away: (session: SqlServerSession) => void) => () => {
    clearTimeout(idle);
    away(session);
  };
  return {
    execute: ({ sql, types }, values) => watched(() => session.execute(sql, values, types)),
    begin: () => watched(async () => void (await session.batch("begin transaction"))),
    commit: () => watched(async () => void (await session.batch("commit transaction"))),
    async rollback() {
      await session.batch("if @@trancount > 0 rollback transaction");
    },
    release: leave((one) => pool.release(one)),
    destroy: leave((one) => pool.destroy(one)),
  };
}

const ROW_VERSIONS = `select cast(serverproperty('ProductMajorVersion') as int) as version,
  cast(serverproperty('EngineEdition') as int) as edition,
  is_read_committed_snapshot_on as versioned from sys.databases where database_id = db_id()`;
/** SQL Server 2019, the first with UTF-8. */
const VERSION_MIN = 15;
/** Azure SQL Database and Azure SQL Managed Instance, whose versions say nothing. */
const AZURE = new Set([5, 8]);

/**
 * Verifies the access to the server. Without row versions, readers would wait for writers.
 *
 * @throws DatabaseUnavailableError
 */
async function requireRowVersions(open: OpenSession, config: SqlServerConfig): Promise<void> {
  const place = placeOf(config);
  const session = await open({ timeoutMs: STATEMENT_TIMEOUT_MS });
  try {
    const { rows } = await withDatabaseErrors(place, () => session.execute(ROW_VERSIONS, []));
    const { version, edition, versioned } = { ...rows[0] };
    if (!AZURE.has(Number(edition)) && Number(version) < VERSION_MIN) {
      throw refused(`${place} is older than SQL Server 2019.`);
    }
    if (versioned !== true) {
      throw refused(
        `${place} keeps no row versions, so readers would wait for writers. Run once: ` +
          `alter database [${config.database}] set read_committed_snapshot on`,
      );
    }
  } finally {
    session.close();
  }
}

function refused(message: string): DatabaseUnavailableError {
  return new DatabaseUnavailableError(message, { code: "database-refused" });
}
