import { expect, test } from "vitest";
import { openDatabase } from "../open-database.ts";
import { param } from "./kinds.ts";
import { allStatements, defineStatement } from "./statement.ts";
import type { DialectName } from "./statement.ts";

const DIALECTS: readonly DialectName[] = ["Sqlite", "PostgreSQL", "MySql", "SqlServer"];
/** PostgreSQL cuts longer names, so that two statements could share one. */
const NAME_BYTES_MAX = 63;
/** SQL Server has its own upsert, and loops in place of recursion. */
const FIRST_WORD: Partial<Record<DialectName, RegExp>> = {
  SqlServer: /^(?:select|insert|update|delete|with|merge|set nocount on;) /,
};
test("every statement compiles for every database, with columns by name", () => {
  // Its module loads all statements of the ports.
  expect(openDatabase).toBeDefined();
  expect(allStatements().size).toBeGreaterThan(10);
  for (const [name, { compiled }] of allStatements()) {
    expect(Buffer.byteLength(name), name).toBeLessThanOrEqual(NAME_BYTES_MAX);
    for (const dialect of DIALECTS) {
      const { sql } = compiled(dialect);
      expect(sql, name).toMatch(FIRST_WORD[dialect] ?? /^(?:select|insert|update|delete|with) /);
      // A column that a migration adds would break prepared statements with a star.
      expect(sql, name).not.toMatch(/select \*|\.\*/);
    }
  }
});

test("two statements cannot have one name", () => {
  const declare = () =>
    defineStatement("test-twice", {}, (db) => db.selectFrom("leases").select("name"));
  declare();
  expect(declare).toThrow("There are two statements with the name test-twice.");
});

test("repeated parameters have two placeholders, and constants keep their value", () => {
  const twice = defineStatement(
    "test-places",
    { name: param.text(64), fence: param.whole },
    (db, parameters) =>
      db
        .selectFrom("leases")
        .select("holder")
        .where("name", "=", parameters.name)
        .where("holder", "<>", parameters.name)
        .where("fence", ">", parameters.fence)
        .where("fence", "<", 9),
  );
  const { sql, places } = twice.compiled("PostgreSQL");
  expect(sql).toContain(`where "name" = $1 and "holder" <> $2 and "fence" > $3 and "fence" < $4`);
  expect(places).toEqual([
    { name: "name", kind: param.text(64) },
    { name: "name", kind: param.text(64) },
    { name: "fence", kind: param.whole },
    { constant: 9 },
  ]);
});
