import { sql } from "#kysely";
import { expect, test } from "vitest";
import { inColumns } from "./in-columns.ts";
import { param } from "./kinds.ts";
import { allStatements, composeStatementWith } from "./statement.ts";

test.each([
  ["name", "name"],
  ["createdAt", "created_at"],
  ["sealSha512", "seal_sha512"],
  ["isSemVer2", "is_sem_ver2"],
  ["lastUsedFrom", "last_used_from"],
])("the parameter %s is for the column %s", (name, column) => {
  expect(inColumns({ [name]: 1 })).toEqual({ [column]: 1 });
});

test("keeps the order of the parameters, and their values", () => {
  const row = inColumns({ tokenId: "t", client: "docker", createdAt: 7 });
  const typed: { token_id: string; client: string; created_at: number } = row;
  expect(Object.entries(typed)).toEqual([
    ["token_id", "t"],
    ["client", "docker"],
    ["created_at", 7],
  ]);
});

test("a statement has a place for each parameter of a row", () => {
  const insert = composeStatementWith(
    { name: param.text(64), holder: param.text(64), heldUntil: param.time },
    (db, row) => db.insertInto("leases").values({ ...inColumns(row), fence: sql.lit(1) }),
  );
  const { sql: text, places } = insert.compiled("PostgreSQL");
  expect(text).toBe(
    'insert into "leases" ("name", "holder", "held_until", "fence") values ($1, $2, $3, 1)',
  );
  expect(places.map((place) => "name" in place && place.name)).toEqual([
    "name",
    "holder",
    "heldUntil",
  ]);
});

test("no statement names a column as a parameter is named", async () => {
  await import("../open-database.ts");
  expect(allStatements().size).toBeGreaterThan(700);
  for (const [name, { compiled }] of allStatements()) {
    const quoted = compiled("PostgreSQL").sql.match(/"[a-z_0-9]*[a-z][A-Z]\w*"/g) ?? [];
    expect(quoted, name).toEqual([]);
  }
});
