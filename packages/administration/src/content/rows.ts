import { z } from "zod";

/** A job keeps its output in one row of the database. */
const ROWS_MAX = 10_000;
const NAMES_MAX = 10;

/** Rows that an output leaves out. */
export const MORE = z
  .int()
  .optional()
  .describe(`Rows beyond ${ROWS_MAX.toLocaleString("en")}, which the answer leaves out.`);

/** Collects the rows of an output, up to its limit. */
export function outputRows<Row>() {
  const rows: Row[] = [];
  let left = 0;
  return {
    rows,
    add: (row: Row) => {
      if (rows.length < ROWS_MAX) rows.push(row);
      else left += 1;
    },
    more: () => (left > 0 ? { more: left } : {}),
  };
}

/** `1 version`, `1,204 versions`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** A sentence with up to ten names of many. */
export function namedFirst(count: number, noun: string, names: readonly string[]): string {
  if (count === 0) return `No ${noun}s.`;
  const first = names.slice(0, NAMES_MAX).join(", ");
  const others = count - Math.min(names.length, NAMES_MAX);
  return `${counted(count, noun)}: ${first}${others > 0 ? `, and ${others} more` : ""}.`;
}

const REPORTED_EVERY_MS = 10_000;

/** Takes lines about progress, and reports one in ten seconds. */
export function sparingly(report: ((line: string) => void) | undefined) {
  let reportedAt = Date.now();
  return (line: () => string) => {
    if (Date.now() - reportedAt < REPORTED_EVERY_MS) return;
    reportedAt = Date.now();
    report?.(line());
  };
}
