import { describe, expect, test, vi } from "vitest";
import { openDatabase } from "../open-database.ts";
import { tablesRead } from "../raw/sqlite-versions.ts";
import { param } from "./kinds.ts";
import { queriesOver } from "./queries.ts";
import { allStatements, defineStatement } from "./statement.ts";
import type { DialectName } from "./typed-statement.ts";

const DIALECTS: readonly DialectName[] = ["Sqlite", "PostgreSQL", "MySql", "SqlServer"];
/** PostgreSQL cuts longer names, so that two statements could share one. */
const NAME_BYTES_MAX = 63;
/** SQL Server has its own upsert, and loops in place of recursion. */
const FIRST_WORD: Partial<Record<DialectName, RegExp>> = {
  SqlServer: /^(?:select|insert|update|delete|with|merge|set nocount on;) /,
};
test("the tables of a statement with cached rows are known", () => {
  const all = [...allStatements().values()];
  const tables = new Set(all.flatMap((one) => tablesRead(one.compiled("Sqlite").sql)));
  const cached = all.filter(({ recall }) => recall !== undefined);
  expect(cached.length).toBeGreaterThan(10);
  for (const statement of cached) {
    const { sql } = statement.compiled("Sqlite");
    // A column has its table or an alias before it, or is in a list of columns.
    const named = [...sql.matchAll(/(?:from|join|,)\s+"?(\w+)"?(?!")/gi)].map(
      ([, name = ""]) => name,
    );
    const used = named.filter((name) => tables.has(name));
    expect(new Set(tablesRead(sql)), statement.name).toEqual(new Set(used));
  }
});

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

test("no statement of SQLite is compiled again because of a limit", () => {
  const texts = [...allStatements().values()].map(({ compiled }) => compiled("Sqlite").sql);
  expect(texts.filter((text) => / limit \+\?/.test(text))).not.toEqual([]);
  expect(texts.filter((text) => / (?:limit|offset) \?/.test(text))).toEqual([]);
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

const LOOK = defineStatement(
  "test-types",
  { name: param.text(64), fence: param.optional(param.whole) },
  (db, { name, fence }) =>
    db.selectFrom("leases").select("holder").where("name", "=", name).where("fence", "=", fence),
);

describe.each(DIALECTS)("on %s", (dialect) => {
  const all = vi.fn(async (_: unknown, parameters: readonly unknown[]) =>
    parameters.map(() => ({})),
  );
  const queries = queriesOver(dialect, { all, one: vi.fn(), run: vi.fn() });

  test.each([[5], [[]], [["a", "b"]], [{}], [true]])(
    "the text %j never reaches a driver",
    (name) => {
      all.mockClear();
      const look = () => queries.all(LOOK, { name: name as unknown as string, fence: 1 });
      expect(look).toThrow("The parameter name of a statement is not a text.");
      expect(all).not.toHaveBeenCalled();
    },
  );

  test.each([[[]], [{ length: 1 }]])("the number %j never reaches a driver", (fence) => {
    const look = () => queries.all(LOOK, { name: "a", fence: fence as unknown as number });
    expect(look).toThrow("The parameter fence of a statement is not a whole.");
  });

  test("texts, numbers and absent values reach the driver", async () => {
    await queries.all(LOOK, { name: "a", fence: undefined });
    expect(all.mock.lastCall?.[1]).toEqual(["a", undefined]);
  });
});
