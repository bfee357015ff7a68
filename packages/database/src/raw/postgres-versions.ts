import { randomUUID } from "node:crypto";
import type { Row } from "./query-port.ts";
import { combineCalls } from "./version.ts";
import type { DatabaseVersions } from "./version.ts";

/** Milliseconds without versions after a failure. Lookups then query the database. */
const RETRY_AFTER_MS = 1_000;

const NAME_SESSION = "select set_config('sealhouse.session', $1, false)";
/**
 * The visible transactions. Each writing transaction changes them at its end, before its client
 * learns of the commit. They return to no earlier state while the server runs.
 */
const SNAPSHOT = {
  name: "snapshot",
  text: `select current_setting('sealhouse.session', true) as name,
    cast(pg_current_snapshot() as text) as snapshot`,
};

/** Versions that come from a separate connection. */
export type PostgresVersions = DatabaseVersions & {
  /** Replaces the connection, so that every cached result is out of date. */
  readonly renew: () => void;
  close(): Promise<void>;
};

/** A connection to PostgreSQL; a `Client` of `pg`. */
export type VersionClient = {
  query(
    statement: { readonly name?: string; readonly text: string },
    values?: string[],
  ): Promise<{ readonly rows: readonly Row[] }>;
  on(event: "error", listener: () => void): unknown;
  end(): Promise<void>;
};

type Session = {
  /** @throws Error when another process of the server answers, or the query fails */
  version(): Promise<string>;
  end(): Promise<void>;
};

/**
 * Reads versions on one connection. A restarted server, or the successor of a lost one, may number
 * its transactions again, so a version includes the session, and another session's versions differ.
 * A connection pooler may change the server's process behind a connection. Then the name of the
 * process differs, and the version is unknown.
 *
 * @param connect opens a connection with short timeouts
 */
export function createPostgresVersions(connect: () => Promise<VersionClient>): PostgresVersions {
  let session: Session | undefined;
  let opening: Promise<void> | undefined;
  let last: string | undefined;
  let retryAt = 0;
  let isClosed = false;

  const drop = (dropped: Session): Promise<void> => {
    if (session === dropped) {
      session = undefined;
      last = undefined;
      retryAt = performance.now() + RETRY_AFTER_MS;
    }
    return dropped.end();
  };
  const open = async () => {
    try {
      const opened = await openSession(connect, (lost) => void drop(lost));
      session = opened;
      if (isClosed) await drop(opened);
    } catch {
      retryAt = performance.now() + RETRY_AFTER_MS;
    }
    opening = undefined;
  };
  const combined = combineCalls(async () => {
    const current = session;
    if (!current) return undefined;
    try {
      const version = await current.version();
      if (session !== current) return undefined;
      last = version;
      return version;
    } catch {
      void drop(current);
      return undefined;
    }
  });
  return {
    current() {
      if (session) return combined();
      if (!isClosed && performance.now() >= retryAt) opening ??= open();
      return Promise.resolve(undefined);
    },
    earlier: () => last,
    renew() {
      if (session) void drop(session);
      retryAt = 0;
    },
    async close() {
      isClosed = true;
      await opening;
      if (session) await drop(session);
    },
  };
}

async function openSession(
  connect: () => Promise<VersionClient>,
  lost: (session: Session) => void,
): Promise<Session> {
  const client = await connect();
  const id = randomUUID();
  const session: Session = {
    async version() {
      const { rows } = await client.query(SNAPSHOT);
      const [row] = rows;
      if (row?.["name"] !== id) throw new Error("Another process of the server answered.");
      return `${id} ${String(row["snapshot"])}`;
    },
    end: () => client.end().catch(ignoreError),
  };
  client.on("error", () => lost(session));
  try {
    await client.query({ text: NAME_SESSION }, [id]);
    return session;
  } catch (error) {
    await session.end();
    throw error;
  }
}

function ignoreError(): void {}
