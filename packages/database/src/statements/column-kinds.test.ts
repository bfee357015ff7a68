import { expect, test } from "vitest";
import { ENTITIES } from "../entities/contexts.ts";
import { CONTEXTS } from "../schema/contexts.ts";
import { offlineOrm } from "../schema/offline-orm.ts";
import { FLAG_COLUMNS, isTimeColumn } from "./column-kinds.ts";

/** The TypeScript types of all columns with a name, over all tables. */
function typesByColumn(): ReadonlyMap<string, ReadonlySet<string>> {
  const types = new Map<string, Set<string>>();
  for (const context of CONTEXTS) {
    const orm = offlineOrm("sqlite", ENTITIES[context]);
    for (const { properties } of orm.getMetadata().getAll().values()) {
      const columns = Object.values(properties).flatMap(({ fieldNames, runtimeType }) =>
        fieldNames.map((column) => ({ column, runtimeType })),
      );
      for (const { column, runtimeType } of columns) {
        types.set(column, (types.get(column) ?? new Set()).add(runtimeType));
      }
    }
  }
  return types;
}

test("boolean and time columns match those of the entities", () => {
  const types = typesByColumn();
  const columnsOf = (type: string) =>
    [...types].filter(([, columnTypes]) => columnTypes.has(type)).map(([column]) => column);
  expect(columnsOf("boolean").toSorted()).toEqual([...FLAG_COLUMNS].toSorted());
  expect([...types.keys()].filter(isTimeColumn)).toEqual(columnsOf("Date"));
  for (const column of [...columnsOf("boolean"), ...columnsOf("Date")]) {
    expect([column, types.get(column)?.size]).toEqual([column, 1]);
  }
});
