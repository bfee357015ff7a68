import { expect, test } from "vitest";
import { ENTITIES } from "../entities/contexts.ts";
import { MIGRATIONS } from "../migrations/list.ts";
import { statementsOf } from "../migrations/migration.ts";
import { CONTEXTS } from "./contexts.ts";
import { schemaDifference } from "./schema-difference.ts";

/** In one line, and without what only migrations say. */
function normalized(statement: string): string {
  return statement
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[[\]]/g, '"')
    .replace(" primary key nonclustered ", " primary key ")
    .replace(/;$/, "");
}

/** Columns of all tables, each with its table, and the other statements. */
function partsOf(statements: readonly string[]): readonly string[] {
  return statements.map(normalized).flatMap((statement) => {
    const [, table, body] = /^create table ("\w+") \((.*)\)$/.exec(statement) ?? [];
    if (table === undefined || body === undefined) {
      return statement.startsWith("insert ") ? [] : [addedColumn(statement)];
    }
    return body.split(/, (?="|constraint)(?![^(]*\))/).map((part) => `${table} ${part}`);
  });
}

function addedColumn(statement: string): string {
  const [, table, column] = /^alter table ("\w+") add (".*)$/.exec(statement) ?? [];
  return table === undefined || column === undefined ? statement : `${table} ${column}`;
}

test.each(CONTEXTS)("SQL Server: the migrations of %s create the tables of the entities", (one) => {
  const entities = ENTITIES[one];
  const statements = MIGRATIONS[one].flatMap((migration) => statementsOf(migration, "mssql"));
  // Statements that fill a new column do not change the schema.
  const migrated = partsOf(statements.filter((sql) => !sql.startsWith("update ")));
  const described = partsOf(schemaDifference("mssql", [], entities));
  expect(migrated.toSorted()).toEqual(described.toSorted());
});

test("SQL Server: every primary key fits into its index", () => {
  const statements = Object.values(MIGRATIONS).flatMap((all) =>
    all.flatMap((one) => statementsOf(one, "mssql")),
  );
  const tables = statements.flatMap((statement) => {
    const text = statement.replaceAll(/\s+/g, " ");
    const [, isLoose, key] = /primary key (nonclustered )?\(([^)]*)\)/.exec(text) ?? [];
    return key === undefined ? [] : [{ text, columns: key.split(", "), isLoose }];
  });
  expect(tables.length).toBeGreaterThan(20);
  for (const { text, columns, isLoose } of tables) {
    const bytes = columns.reduce((total, column) => total + sizeOf(text, column), 0);
    expect(bytes, text).toBeLessThanOrEqual(isLoose === undefined ? 900 : 1_700);
  }
});

/** Bytes of a column at most; numbers and times have eight. */
function sizeOf(body: string, column: string): number {
  const text = body.slice(body.indexOf(`${column} `) + column.length);
  const length = /^ nvarchar\((\d+)\)/.exec(text)?.[1];
  return length === undefined ? 8 : Number(length) * 2;
}
