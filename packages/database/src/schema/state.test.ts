import { expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { FIRST_MIGRATION, MIGRATION_NAMES } from "../migrations/names.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./contexts.ts";
import { schemaState } from "./state.ts";

const TYPES: readonly DatabaseConfig["type"][] = ["Sqlite", "PostgreSQL", "MySql", "SqlServer"];

/** Answers as a database with these migrations does. */
function portWith(applied: Readonly<Record<string, readonly string[]>>, required?: string) {
  const rowsOf = ({ sql }: Statement): readonly Row[] => {
    if (sql.includes("schema_level")) return required === undefined ? [] : [{ required }];
    const [, table = ""] = /^select name from (sealhouse_\w+) order by id$/.exec(sql) ?? [];
    return (applied[table] ?? []).map((name) => ({ name }));
  };
  return {
    all: async (statement: Statement) => rowsOf(statement),
    one: async (statement: Statement, [table]: readonly unknown[]) => {
      if (statement.sql.includes("required")) return rowsOf(statement)[0];
      const exists = table === "schema_level" ? required !== undefined : String(table) in applied;
      return exists ? { name: table } : undefined;
    },
    run: async () => 0,
  };
}

const { catalog, identity } = MIGRATIONS_TABLE;
const CURRENT = { [catalog]: MIGRATION_NAMES.catalog, [identity]: MIGRATION_NAMES.identity };

test.each(TYPES)("%s: an empty database is outdated, a migrated one current", async (type) => {
  expect(await schemaState({ type, port: portWith({}) })).toEqual({
    status: "outdated",
    missing: CONTEXTS.flatMap((context) =>
      MIGRATION_NAMES[context].map((name) => `${context}/${name}`),
    ),
  });
  const port = portWith(CURRENT, FIRST_MIGRATION);
  expect(await schemaState({ type, port })).toEqual({ status: "current" });
});

test.each(TYPES)(
  "%s: any migration of a trial before the first release is refused",
  async (type) => {
    for (const table of [catalog, identity]) {
      for (const names of [
        ["Migration20261125120000_first"],
        ["Migration20261121000000_first", FIRST_MIGRATION],
      ]) {
        const port = portWith({ ...CURRENT, [table]: names }, FIRST_MIGRATION);
        expect(await schemaState({ type, port })).toEqual({ status: "trial" });
      }
    }
  },
);

test.each(TYPES)("%s: a newer migration counts when the schema requires it", async (type) => {
  const newer = { ...CURRENT, [catalog]: [...MIGRATION_NAMES.catalog, "Migration2099_x"] };
  const compatible = portWith(newer, FIRST_MIGRATION);
  expect(await schemaState({ type, port: compatible })).toEqual({ status: "current" });
  const unknown = ["Migration2099_x"];
  const above = portWith(newer, "Migration2099_x");
  expect(await schemaState({ type, port: above })).toEqual({ status: "newer", unknown });
});
