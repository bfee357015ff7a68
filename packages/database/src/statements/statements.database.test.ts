import { sql } from "#kysely";
import { afterAll, describe, expect, test } from "vitest";
import { openTestParts } from "../testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";
import { param } from "./kinds.ts";
import { defineStatement } from "./statement.ts";

const LEASE = {
  name: param.text(128),
  holder: param.text(128),
  fence: param.whole,
  heldUntil: param.time,
};

const PUT = defineStatement("test-put", LEASE, (_db, parameters, own) =>
  own.upsert(
    "leases",
    {
      name: parameters.name,
      holder: parameters.holder,
      fence: parameters.fence,
      held_until: parameters.heldUntil,
    },
    ["name"],
  ),
);
const ALL = defineStatement("test-all", {}, (db) =>
  db.selectFrom("leases").select(["name", "holder", "fence", "held_until"]).orderBy("name"),
);
const NAMED = defineStatement("test-named", { names: param.texts }, (db, { names }, own) =>
  db.selectFrom("leases").select("name").where("name", "in", own.textsIn(names)).orderBy("name"),
);
const FENCED = defineStatement("test-fenced", { fences: param.wholes }, (db, { fences }, own) =>
  db.selectFrom("leases").select("name").where("fence", "in", own.wholesIn(fences)),
);
const PAGE = defineStatement(
  "test-page",
  { skip: param.whole, take: param.whole },
  (db, page, own) => own.page(db.selectFrom("leases").select("name").orderBy("name"), page),
);
const RENAME = defineStatement(
  "test-rename",
  { names: param.texts, holder: param.text(128) },
  (db, { names, holder }, own) =>
    own.byList(db.updateTable("leases").set({ holder }).where("name", "in", own.textsIn(names))),
);
const DROP = defineStatement("test-drop", { fences: param.wholes }, (db, { fences }, own) =>
  own.byList(db.deleteFrom("leases").where("fence", "in", own.wholesIn(fences))),
);
const INSERT_ROWS = defineStatement(
  "test-insert-rows",
  {
    rows: param.records,
    holder: param.text(128),
    until: param.time,
  },
  (db, { rows, holder, until }, own) =>
    db
      .insertInto("leases")
      .columns(["name", "holder", "fence", "held_until"])
      .expression(
        db
          .selectFrom(own.records(rows, { name: "text", fence: "whole" }).as("row"))
          .select([
            "row.name",
            sql<string>`${holder}`.as("holder"),
            "row.fence",
            sql<Date>`${until}`.as("held_until"),
          ]),
      ),
);
const SIZES = defineStatement("test-sizes", {}, (db, _given, own) =>
  db
    .selectFrom("leases")
    .select([
      own.sum(sql.ref("fence")).as("sum"),
      own.sum(own.textByteLength(sql.ref("name"))).as("bytes"),
    ]),
);
const AFTER = defineStatement(
  "test-after",
  { fence: param.whole, second: param.whole },
  (db, { fence, second }, own) =>
    db
      .selectFrom("leases")
      .select("name")
      .where(own.isAfter([sql.ref("fence"), sql.lit(5)], [fence, second]))
      .orderBy("name"),
);

const RECORDS = defineStatement("test-records", { rows: param.records }, (db, { rows }, own) =>
  db
    .selectFrom(own.records(rows, { name: "text", fence: "whole" }).as("r"))
    .select(["r.name", "r.fence"])
    .orderBy("r.fence"),
);
const MATCHING = defineStatement(
  "test-matching",
  { likes: param.texts, globs: param.texts },
  (db, patterns, own) =>
    db
      .selectFrom("leases")
      .select("name")
      .where((lease) => own.matchesAny(lease.ref("name"), patterns))
      .orderBy("name"),
);

const TIME = new Date("2026-02-03T04:05:06.789Z");
const lease = (name: string, fence = 1) => ({ name, holder: "a", fence, heldUntil: TIME });

describe.each(testableDatabases())("statements on %s", (type) => {
  test("concurrent upserts leave one row", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    const fences = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(fences.map((fence) => queries.run(PUT, lease("x", fence))));
    expect(await queries.all(ALL, {})).toHaveLength(1);
  });

  test("values round-trip", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    const input = { ...lease("päckage 📦"), holder: "", fence: Number.MAX_SAFE_INTEGER };
    await queries.run(PUT, input);
    expect(await queries.all(ALL, {})).toEqual([
      { name: input.name, holder: "", fence: input.fence, held_until: TIME },
    ]);
  });

  test("names are case-sensitive", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    for (const name of ["acme", "ACME"]) await queries.run(PUT, lease(name));
    expect(await queries.all(NAMED, { names: ["acme"] })).toEqual([{ name: "acme" }]);
  });

  test("lists may be empty or long, with any characters", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    for (const name of ["a", 'quote " \\ 📦']) await queries.run(PUT, lease(name, name.length));
    const many = Array.from({ length: 5_000 }, (_, index) => `name ${index}`);
    expect(await queries.all(NAMED, { names: [] })).toEqual([]);
    expect(await queries.all(FENCED, { fences: [] })).toEqual([]);
    expect(await queries.all(NAMED, { names: [...many, "a"] })).toEqual([{ name: "a" }]);
    expect(await queries.all(NAMED, { names: ["nul \0", 'quote " \\ 📦'] })).toHaveLength(1);
    expect(await queries.all(FENCED, { fences: many.map((_, index) => index) })).toHaveLength(2);
  });

  test("one parameter holds rows of any number, with any characters", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    const rows = Array.from({ length: 2_000 }, (_, fence) => ({ name: `\0 ' \\u0000 📦`, fence }));
    const records = await queries.all(RECORDS, {
      rows: [...rows, { fence: 2_000, name: undefined }],
    });
    expect(records).toHaveLength(2_001);
    expect(records[1]).toEqual({ name: "\u{fffd} ' \\u0000 📦", fence: 1 });
    expect(records.at(-1)).toEqual({ name: null, fence: 2_000 });
    expect(await queries.all(RECORDS, { rows: [] })).toEqual([]);
  });

  test("patterns match with regard to letter case", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    for (const name of ["acme", "ACME", "a%e"]) await queries.run(PUT, lease(name));
    const matching = async (likes: readonly string[], globs: readonly string[]) =>
      (await queries.all(MATCHING, { likes, globs })).map(({ name }) => name);
    expect(await matching(["a%"], ["a*"])).toEqual(["a%e", "acme"]);
    expect(await matching(["x", "a!%e"], ["x", "a%e"])).toEqual(["a%e"]);
    expect(await matching([], [])).toEqual([]);
  });

  test("an update and a delete change the rows of a list alone", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    for (const name of ["a", "b", "c"]) await queries.run(PUT, lease(name, name.charCodeAt(0)));
    expect(await queries.run(RENAME, { names: ["a", "b", "x"], holder: "new" })).toBe(2);
    expect(await queries.run(RENAME, { names: [], holder: "other" })).toBe(0);
    expect(await queries.run(DROP, { fences: [] })).toBe(0);
    expect(await queries.run(DROP, { fences: [97, 99] })).toBe(2);
    expect(await queries.all(ALL, {})).toMatchObject([{ name: "b", holder: "new" }]);
  });

  test("a list of rows is inserted by one statement", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    const rows = [
      { name: 'quote " \\ 📦', fence: Number.MAX_SAFE_INTEGER },
      { name: "b", fence: 0 },
    ];
    expect(await queries.run(INSERT_ROWS, { rows, holder: "a", until: TIME })).toBe(2);
    expect(await queries.run(INSERT_ROWS, { rows: [], holder: "a", until: TIME })).toBe(0);
    const stored = rows.map((row) => ({ ...row, holder: "a", held_until: TIME }));
    expect(await queries.all(ALL, {})).toEqual(stored.toReversed());
  });

  test("sums and lengths are numbers, and lengths are in bytes", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    expect(await queries.one(SIZES, {})).toEqual({ sum: 0, bytes: 0 });
    for (const name of ["ä", "📦"]) await queries.run(PUT, lease(name, 2 ** 40));
    expect(await queries.one(SIZES, {})).toEqual({ sum: 2 ** 41, bytes: 6 });
  });

  test("rows after a pair of values are found by both columns", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    for (const fence of [1, 2, 3]) await queries.run(PUT, lease(`n${fence}`, fence));
    expect(await queries.all(AFTER, { fence: 2, second: 5 })).toEqual([{ name: "n3" }]);
    expect(await queries.all(AFTER, { fence: 2, second: 4 })).toHaveLength(2);
  });

  test("pages are consecutive", async () => {
    await using parts = await openTestParts(type);
    const { queries } = parts.connections;
    for (const name of ["c", "a", "b"]) await queries.run(PUT, lease(name));
    expect(await queries.all(PAGE, { skip: 1, take: 1 })).toEqual([{ name: "b" }]);
    expect(await queries.all(PAGE, { skip: 2, take: 9 })).toEqual([{ name: "c" }]);
  });
});

afterAll(leaveTestServers);
