import type { QueryPort } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import type { Sql } from "./dialect.ts";

/** Counts the rows of a clause that begins with `from`. */
export type Count = (from: Sql) => Promise<number>;

export function countIn(port: Pick<QueryPort, "one">): Count {
  return async ({ sql, parameters }) => {
    const row = await port.one({ sql: `select count(*) as total ${sql}` }, parameters);
    return row ? numberOf(row, "total") : 0;
  };
}
