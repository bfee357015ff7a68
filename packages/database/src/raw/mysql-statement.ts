import type { Parameter, Statement } from "./query-port.ts";

const written = new Map<string, string>();

/** The few phrases of our SQL that MySQL and MariaDB spell in another way. */
const SPELLINGS: readonly [RegExp, string][] = [
  [/\bas bigint\)/gi, "as signed)"],
  [/\bas varchar\((\d+)\)\)/gi, "as char($1))"],
  [/\bas text\)/gi, "as char)"],
  [/\bon conflict \([^)]*\) do update set\b/gi, "on duplicate key update"],
  [/\bexcluded\.(\w+)/gi, "values($1)"],
];

/**
 * Translates portable SQL for MySQL. A conflict applies to all unique keys of the table, because
 * `on duplicate key` cannot name one.
 */
export function mysqlSql({ name, sql }: Statement): string {
  const known = written.get(sql);
  if (known !== undefined) return known;
  let text = sql;
  for (const [phrase, own] of SPELLINGS) text = text.replaceAll(phrase, own);
  if (name !== undefined) written.set(sql, text);
  return text;
}

/** Values that the driver accepts. */
export type MysqlValue = string | number | boolean | Date | Buffer | null;

export function mysqlValues(parameters: readonly Parameter[]): MysqlValue[] {
  return parameters.map((value) => {
    if (value === undefined) return null;
    return value instanceof Uint8Array && !Buffer.isBuffer(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : value;
  });
}
