import type { Parameter, QueryPort } from "../raw/query-port.ts";

/** Parameters of one insert; databases take between 32,766 and 65,535. */
const PARAMETERS_MAX = 20_000;

/** All with the columns of the first. */
export async function insertRows(
  port: QueryPort,
  table: string,
  rows: readonly Readonly<Record<string, Parameter>>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const marks = `(${columns.map(() => "?").join(", ")})`;
  const atOnce = Math.floor(PARAMETERS_MAX / columns.length);
  for (let start = 0; start < rows.length; start += atOnce) {
    const some = rows.slice(start, start + atOnce);
    const values = some.map(() => marks).join(", ");
    const sql = `insert into ${table} (${columns.join(", ")}) values ${values}`;
    await port.run(
      { sql },
      some.flatMap((row) => columns.map((column) => row[column])),
    );
  }
}
