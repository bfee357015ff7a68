/** A migration of SQL Server: statements that run in one transaction. */
export type SqlMigration = { readonly name: string; readonly statements: readonly string[] };

const COLLATION = "Latin1_General_100_BIN2";

/** Adds the collation of all text, by code points, to the columns of a statement. */
export function collated(statement: string): string {
  return statement.replaceAll(/\bnvarchar\((?:\d+|max)\)/g, `$& collate ${COLLATION}`);
}
