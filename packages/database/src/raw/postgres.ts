import { readFileSync } from "node:fs";
import { Client, DatabaseError, Pool, TypeOverrides, types } from "pg";
import type { ClientConfig, PoolClient } from "pg";
import type { PostgresConfig } from "../connection-string.ts";
import { placeOf } from "../place.ts";
import { createPostgresVersions } from "./postgres-versions.ts";
import { numberedSql, postgresValues } from "./postgres-statement.ts";
import { UniqueKeyError, decodedRows } from "./query-port.ts";
import type { Parameter, QueryPort, Row, Statement } from "./query-port.ts";
import { createServerRowCache } from "./row-cache.ts";
import type { ReservedConnection } from "./reserved-connection.ts";
import { retryConflicts } from "./retry-conflicts.ts";
import { connectionError, withDatabaseErrors } from "./unavailable.ts";

const POOL_MAX = 10;
const CONNECT_TIMEOUT_MS = 5_000;
/** No statement of ours takes this long; one that does hangs on a lock or a dead peer. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Longer than the statement timeout, for a server that no longer answers. */
const ANSWER_TIMEOUT_MS = 35_000;
/** Bounds how long a transaction can stay open; the outbox relies on it (events/outbox.ts). */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;

/** A version that takes longer than this saves nothing. */
const VERSION_TIMEOUT_MS = 2_000;

/**
 * Transactions look up and write single rows by prepared statements, most of which PostgreSQL would
 * plan each time: a list of one item seems cheaper than a list of any length.
 */
const BEGIN = "begin; set local plan_cache_mode = force_generic_plan";

const UNIQUE_VIOLATION = "23505";
/** Serialization failure, deadlock: the server aborted the statement in favour of another. */
const VICTIM = new Set(["40001", "40P01"]);

/** One pool for prepared lookups and MikroORM, and one connection for versions. */
export type PostgresConnections = QueryPort & {
  readonly pool: Pool;
  /** Names the database, for its operator. */
  readonly place: string;
  /** A connection of the pool, for one transaction. */
  reserve(): Promise<ReservedConnection>;
  /** Opens a separate connection without timeouts, for migrations and their lock. */
  connect(): Promise<Client>;
  /** Whether another transaction came in between, so that trying again may succeed. */
  isConflict(error: unknown): boolean;
  /** Whether a row with the same key exists. */
  isUniqueViolation(error: unknown): boolean;
  close(): Promise<void>;
};

/** @throws DatabaseUnavailableError when the server does not answer or does not let us in */
export async function openPostgres(config: PostgresConfig): Promise<PostgresConnections> {
  const connection = await reachable(config);
  const pool = new Pool({
    ...connection,
    max: config.poolMax ?? POOL_MAX,
    idleTimeoutMillis: 30_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    types: ormTypes(),
    // Statements of a transaction that do not wait for each other travel together.
    pipeline: true,
  });
  // Waiting calls receive the error of a closed connection. Without a listener it would end the
  // process. The pool has removed the connection already.
  pool.on("error", ignoreDropped);
  const versions = createPostgresVersions(() =>
    connected(config, {
      ...connection,
      statement_timeout: VERSION_TIMEOUT_MS,
      query_timeout: VERSION_TIMEOUT_MS,
    }),
  );
  // The server may have been replaced. The version's connection must not stay with the old one.
  pool.on("connect", (client) => client.on("error", versions.renew));

  const rowTypes = lookupTypes();
  const place = placeOf(config);
  const ask = (statement: Statement, parameters: readonly Parameter[]) =>
    pool.query<Row>({
      ...(statement.name !== undefined && { name: statement.name }),
      text: numberedSql(statement),
      values: postgresValues(parameters),
      types: rowTypes,
    });
  const read = createServerRowCache(versions, async (statement, parameters) => {
    const { rows } = await withDatabaseErrors(place, () => ask(statement, parameters));
    return decodedRows(statement, rows);
  });
  return {
    pool,
    place,
    versions,
    all: read,
    one: async (statement, parameters) => (await read(statement, parameters))[0],
    async run(statement, parameters) {
      try {
        const attempt = () => ask(statement, parameters);
        const result = await withDatabaseErrors(place, () =>
          retryConflicts(isRetryableConflict, attempt),
        );
        return result.rowCount ?? 0;
      } catch (error) {
        throw isUniqueViolation(error) ? new UniqueKeyError(error) : error;
      }
    },
    reserve: async () => reservedConnection(await pool.connect()),
    connect: () => connected(config, { ...connection, types: ormTypes() }),
    isConflict: (error) => isRetryableConflict(error) || isUniqueViolation(error),
    isUniqueViolation,
    async close() {
      await Promise.all([versions.close(), pool.end()]);
    },
  };
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === UNIQUE_VIOLATION;
}

function isRetryableConflict(error: unknown): boolean {
  return error instanceof DatabaseError && VICTIM.has(error.code ?? "");
}

function reservedConnection(client: PoolClient): ReservedConnection {
  let begun: Promise<unknown> | undefined;
  return {
    async execute({ name, sql }, values) {
      const named = name === undefined ? {} : { name };
      const query = { ...named, text: sql, values: [...values] };
      const [{ rows, rowCount }] = await Promise.all([client.query<Row>(query), begun]);
      return { rows, changes: rowCount ?? 0 };
    },
    async begin() {
      // Travels with the first statement, which fails if this fails.
      begun = client.query(BEGIN);
      begun.catch(ignoreDropped);
    },
    async commit() {
      // After an error within the transaction, PostgreSQL rolls back and reports success.
      const [{ command }] = await Promise.all([client.query("commit"), begun]);
      if (command !== "COMMIT") throw new Error("The server rolled back the transaction.");
    },
    async rollback() {
      await client.query("rollback");
    },
    release: () => client.release(),
    destroy: () => client.release(true),
  };
}

async function connected(config: PostgresConfig, options: ClientConfig): Promise<Client> {
  const client = new Client(options);
  client.on("error", ignoreDropped);
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw connectionError(error, placeOf(config));
  }
}

/** Verifies the access to the server. Resolves `prefer` to TLS where the server supports it. */
async function reachable(config: PostgresConfig): Promise<ClientConfig> {
  const options = connectionOf(config, sslOf(config));
  try {
    await (await connected(config, options)).end();
    return options;
  } catch (error) {
    if (config.ssl !== "prefer" || !saysNoTls(error)) throw error;
  }
  const plain = connectionOf(config, undefined);
  await (await connected(config, plain)).end();
  return plain;
}

function saysNoTls(error: unknown): boolean {
  return error instanceof Error && error.message.includes("does not support SSL");
}

function connectionOf(config: PostgresConfig, ssl: ClientConfig["ssl"]): ClientConfig {
  return {
    host: config.host,
    port: config.port,
    user: config.user,
    ...(config.password !== undefined && { password: config.password }),
    database: config.database,
    ...(ssl !== undefined && { ssl }),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: "sealhouse",
  };
}

function sslOf(config: PostgresConfig): ClientConfig["ssl"] {
  if (config.ssl === "disable") return undefined;
  const ca =
    config.rootCertificate === undefined ? undefined : readFileSync(config.rootCertificate, "utf8");
  return {
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: config.ssl === "verify-ca" || config.ssl === "verify-full",
    ...(config.ssl === "verify-ca" && { checkServerIdentity: () => undefined }),
  };
}

/** Whole numbers up to 2^53 instead of text. */
function lookupTypes(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.INT8, Number);
  return overrides;
}

/** MikroORM wants times as the server wrote them (as its own pool would give them). */
function ormTypes(): TypeOverrides {
  const overrides = lookupTypes();
  const { DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL } = types.builtins;
  for (const id of [DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL]) {
    overrides.setTypeParser(id, (text) => text);
  }
  return overrides;
}

function ignoreDropped(): void {}
