import type { DialectName } from "../../statements/typed-statement.ts";
import type { SearchDialect } from "./search-dialect.ts";
import { likeDialect } from "./search-like.ts";
import { mysqlDialect } from "./search-mysql.ts";
import { postgresqlDialect } from "./search-postgresql.ts";
import { sqliteDialect } from "./search-sqlite.ts";

/** Word searches by database. `like` reads every row, for databases without a word index. */
const DIALECTS: Readonly<Record<DialectName | "like", SearchDialect>> = {
  Sqlite: sqliteDialect,
  PostgreSQL: postgresqlDialect,
  MySql: mysqlDialect,
  // Its full-text index is a separate component, and misses what was just pushed.
  SqlServer: likeDialect,
  like: likeDialect,
};

export function searchDialect(type: DialectName | "like"): SearchDialect {
  return DIALECTS[type];
}
