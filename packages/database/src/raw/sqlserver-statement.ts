import type { Statement } from "./query-port.ts";

const numbered = new Map<string, string>();

/** With `@1`, `@2`, … for each `?`. A text with declared types numbers its parameters itself. */
export function sqlServerText({ name, sql, types }: Statement): string {
  if (types) return sql;
  const known = numbered.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replaceAll("?", () => `@${++count}`);
  if (name !== undefined) numbered.set(sql, text);
  return text;
}
