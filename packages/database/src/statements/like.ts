import { sql } from "#kysely";
import type { Expression, RawBuilder, SqlBool } from "#kysely";

/** Compares with a pattern whose literal `!`, `%` and `_` follow a `!` (see `raw/like.ts`). */
export function isLike(
  text: Expression<string | null>,
  pattern: Expression<string | null>,
): RawBuilder<SqlBool> {
  return sql`${text} like ${pattern} escape '!'`;
}
