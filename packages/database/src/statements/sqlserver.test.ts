import { sql } from "#kysely";
import { expect, test } from "vitest";
import { sqlServerStatements } from "../testing/sqlserver-statements.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { composeStatement } from "./statement.ts";

/** Words that Microsoft's parser accepts, and SQL Server does not know. */
const FOREIGN_WORDS = new RegExp(
  [
    String.raw`\bfor (?:update|share)\b|\|\||\blimit \d|\brecursive\b`,
    String.raw`\b(?:length|octet_length|char_length|greatest|least|now|unnest|json_each)\(`,
  ].join("|"),
);

test("no statement has words that SQL Server does not know", async () => {
  for (const { name, sql: text } of await sqlServerStatements()) {
    expect(text, name).not.toMatch(FOREIGN_WORDS);
  }
});

test("SQL Server: limits, pages and locks have its own words", () => {
  const own = (build: Parameters<typeof composeStatement>[0]) =>
    composeStatement(build).compiled("SqlServer").sql;
  const leases = (db: Dialect["db"]) => db.selectFrom("leases").select("name").orderBy("name");
  expect(own((db, words) => words.limit(leases(db), sql.lit(3)))).toBe(
    'select top(3) "name" from "leases" order by "name"',
  );
  const page = { skip: sql.lit(4), take: sql.lit(2) };
  expect(own((db, words) => words.page(leases(db), page))).toBe(
    'select "name" from "leases" order by "name" offset 4 rows fetch next 2 rows only',
  );
  expect(own((db, words) => words.limit(leases(db).unionAll(leases(db)), sql.lit(1)))).toMatch(
    /order by "name" offset 0 rows fetch next 1 rows only$/,
  );
  expect(own((db, words) => words.forUpdate(leases(db)))).toContain(
    'from "leases" with (updlock, rowlock) order by',
  );
  expect(own((db, words) => words.forShare(leases(db)))).toContain(
    'from "leases" with (repeatableread, rowlock) order by',
  );
  expect(own((db) => leases(db).where("name", "=", sql.lit("ä")))).toContain(`"name" = N'ä'`);
});
