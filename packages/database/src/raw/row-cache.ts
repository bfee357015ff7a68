import { BoundedCache } from "@sealhouse/bounded-cache";
import type { Parameter, Row, Statement } from "./query-port.ts";
import type { DatabaseVersion, DatabaseVersions } from "./version.ts";
import { versionBefore } from "./version.ts";

type Rows = readonly Row[];
type Look = (statement: Statement, parameters: readonly Parameter[]) => Rows;
type AsyncLook = (statement: Statement, parameters: readonly Parameter[]) => Promise<Rows>;

type VersionedRows = { readonly version: DatabaseVersion; readonly rows: Rows };

/** The weight is that of bytes in rows; other columns are small. */
const LIMITS = { entries: 4_096, weight: { max: 4 * 1024 * 1024, of: bytesIn } };

/** Caches the results of recallable statements while `versionOf` stays the same for them. */
export function createRowCache(
  versionOf: (statement: Statement) => DatabaseVersion,
  look: Look,
): Look {
  const kept = createKeptRows();
  return (statement, parameters) => {
    const question = questionOf(statement, parameters);
    if (question === undefined) return look(statement, parameters);
    const version = versionOf(statement);
    const knownRows = kept.get(question, version);
    if (knownRows) return knownRows;
    const rows = look(statement, parameters);
    if (isKept(statement, rows)) kept.set(question, version, rows);
    return rows;
  };
}

/**
 * Does the same for a server. It asks for the current version only when it has cached rows, so
 * that a lookup of something new is one query.
 */
export function createServerRowCache(versions: DatabaseVersions, look: AsyncLook): AsyncLook {
  const kept = createKeptRows();
  return async (statement, parameters) => {
    const question = questionOf(statement, parameters);
    if (question === undefined) return look(statement, parameters);
    const isKnown = kept.has(question);
    const version = isKnown ? await versions.current() : await versionBefore(versions);
    if (version === undefined) return look(statement, parameters);
    // Without a current version, even rows that were cached just now may be old.
    const knownRows = isKnown ? kept.get(question, version) : undefined;
    if (knownRows) return knownRows;
    const rows = await look(statement, parameters);
    if (isKept(statement, rows)) kept.set(question, version, rows);
    return rows;
  };
}

type KeptRows = {
  /** Whether there are rows, of any version. */
  has(question: string): boolean;
  /** Returns the rows if they are of this version. */
  get(question: string, version: DatabaseVersion): Rows | undefined;
  set(question: string, version: DatabaseVersion, rows: Rows): void;
};

/** Creates a cache of limited size for rows and their versions. */
function createKeptRows(): KeptRows {
  const cache = new BoundedCache<string, VersionedRows>(LIMITS);
  return {
    has: (question) => cache.has(question),
    get(question, version) {
      const kept = cache.get(question);
      return kept?.version === version ? kept.rows : undefined;
    },
    set: (question, version, rows) => cache.set(question, { version, rows }),
  };
}

/** Identifies a lookup; undefined when its statement allows no caching. */
function questionOf(
  { name, recall }: Statement,
  parameters: readonly Parameter[],
): string | undefined {
  if (name === undefined || recall === undefined) return undefined;
  // The usual question is one text. A name has no line breaks, so that no other is the same.
  const [first] = parameters;
  if (parameters.length === 1 && typeof first === "string") return `${name}\n${first}`;
  return JSON.stringify([name, ...parameters]);
}

function isKept({ recall }: Statement, rows: Rows): boolean {
  return recall === "rows" || rows.length === 0;
}

function bytesIn({ rows }: VersionedRows): number {
  let bytes = 0;
  for (const row of rows) {
    for (const value of Object.values(row)) if (value instanceof Uint8Array) bytes += value.length;
  }
  return bytes;
}
