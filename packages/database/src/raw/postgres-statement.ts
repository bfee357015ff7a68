import type { Parameter, Statement } from "./query-port.ts";

const numbered = new Map<string, string>();

/** With `$1`, `$2`, … for each `?`. Text written for PostgreSQL alone numbers them itself. */
export function numberedSql({ name, sql }: Statement): string {
  const knownText = numbered.get(sql);
  if (knownText !== undefined) return knownText;
  let count = 0;
  const text = sql.replaceAll("?", () => `$${++count}`);
  if (name !== undefined) numbered.set(sql, text);
  return text;
}

export function postgresValues(parameters: readonly Parameter[]): unknown[] {
  return parameters.map((value) => {
    if (value === undefined) return null;
    // PostgreSQL has no NUL in text; nothing it holds can be equal to text that has one.
    if (typeof value === "string") return value.replaceAll("\0", "\u{fffd}");
    return value instanceof Uint8Array && !Buffer.isBuffer(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : value;
  });
}
