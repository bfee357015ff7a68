import type { DatabaseConfig } from "../connection-string.ts";
import { likeDialect } from "./search-like.ts";
import { mysqlDialect } from "./search-mysql.ts";
import { postgresqlDialect } from "./search-postgresql.ts";
import { sqliteDialect } from "./search-sqlite.ts";
import type { SearchDialect } from "./dialect.ts";

/** Word searches by database. `like` reads every row, for databases without a word index. */
const DIALECTS: Readonly<Record<DatabaseConfig["type"], SearchDialect>> = {
  Sqlite: sqliteDialect,
  PostgreSQL: postgresqlDialect,
  MySql: mysqlDialect,
};

export function searchDialect(type: DatabaseConfig["type"] | "like"): SearchDialect {
  return type === "like" ? likeDialect : DIALECTS[type];
}
