import type { Parameter, Row, Statement } from "./query-port.ts";

type Rows = readonly Row[];
type Look = (statement: Statement, parameters: readonly Parameter[]) => Rows;

const KEPT_MAX = 4_096;
/** Limit of bytes in cached rows; other columns are small. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

/** Caches the results of recallable statements while `mark` stays the same. */
export function createRowCache(mark: () => number, look: Look): Look {
  const cache = new Map<string, Rows>();
  let keptBytes = 0;
  let since: number | undefined;
  const keep = (question: string, rows: Rows) => {
    const bytes = bytesIn(rows);
    if (keptBytes + bytes > KEPT_BYTES_MAX) return;
    keptBytes += bytes;
    cache.set(question, rows);
  };
  return (statement, parameters) => {
    const { name, recall } = statement;
    if (name === undefined || recall === undefined) return look(statement, parameters);
    const now = mark();
    if (now !== since || cache.size >= KEPT_MAX) {
      cache.clear();
      keptBytes = 0;
    }
    since = now;
    const question = JSON.stringify([name, ...parameters]);
    const knownRows = cache.get(question);
    if (knownRows) return knownRows;
    const rows = look(statement, parameters);
    if (recall === "rows" || rows.length === 0) keep(question, rows);
    return rows;
  };
}

function bytesIn(rows: Rows): number {
  let bytes = 0;
  for (const row of rows) {
    for (const value of Object.values(row)) if (value instanceof Uint8Array) bytes += value.length;
  }
  return bytes;
}
