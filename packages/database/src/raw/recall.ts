import type { Parameter, Row, Statement } from "./query-port.ts";

type Rows = readonly Row[];
type Look = (statement: Statement, parameters: readonly Parameter[]) => Rows;

const KEPT_MAX = 4_096;

/** Looks up what may be recalled once for as long as `mark` stays the same. */
export function createRecall(mark: () => number, look: Look): Look {
  const kept = new Map<string, Rows>();
  let since: number | undefined;
  return (statement, parameters) => {
    const { name, recall } = statement;
    if (name === undefined || recall === undefined) return look(statement, parameters);
    const now = mark();
    if (now !== since || kept.size >= KEPT_MAX) kept.clear();
    since = now;
    const question = JSON.stringify([name, ...parameters]);
    const known = kept.get(question);
    if (known) return known;
    const rows = look(statement, parameters);
    if (recall === "rows" || rows.length === 0) kept.set(question, rows);
    return rows;
  };
}
