import type { Statement } from "./query-port.ts";

/** Maximum length of lists with their own prepared statement. */
const PREPARED_MAX = 16;

/** `?` for each item, for `in (…)`. */
export function marks(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ");
}

/** A statement over a list, whose text goes by the list's length. */
export function overList(name: string, count: number, sql: string): Statement {
  return count > PREPARED_MAX ? { sql } : { name: `${name}-${count}`, sql };
}
