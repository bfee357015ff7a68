import { expect, test } from "vitest";
import { sqlServerInsert } from "./copy-database.ts";
import { tablesToCopy } from "./table-order.ts";

const tables = new Map(tablesToCopy().map((table) => [table.name, table]));

test("SQL Server takes the numbers of rows, and the type of each parameter", () => {
  const seals = tables.get("nuget_replaced_seals");
  if (!seals) throw new Error("The table is missing.");
  const { sql, types } = sqlServerInsert(seals, [{}, {}]);
  expect(sql).toMatch(/^set identity_insert nuget_replaced_seals on; insert into .*"plan".*/);
  expect(sql).toContain(`@${seals.columns.length * 2})`);
  expect(sql).toMatch(/set identity_insert nuget_replaced_seals off;$/);
  expect(types).toEqual([...seals.types, ...seals.types]);
  const typeOf = (column: string) => seals.types[seals.columns.indexOf(column)];
  expect(["id", "plan", "signed_at", "sha256"].map(typeOf)).toEqual([
    "bigint",
    "varbinary(max)",
    "datetime2(3)",
    "nvarchar(max)",
  ]);
});

test("SQL Server gets no setting for tables whose rows it does not number", () => {
  const holds = tables.get("oci_holds");
  expect(holds && sqlServerInsert(holds, [{}]).sql).toBe(
    'insert into oci_holds ("digest", "holder", "held_until") values (@1, @2, @3);',
  );
});
