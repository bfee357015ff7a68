import type { ComposedStatement } from "../statements/typed-statement.ts";
import type { Queries } from "../statements/queries.ts";

/** Executes a statement that counts. */
export type Count = (statement: ComposedStatement<{ readonly total: number }>) => Promise<number>;

export function countIn(queries: Pick<Queries, "one">): Count {
  return async (statement) => (await queries.one(statement, {}))?.total ?? 0;
}
