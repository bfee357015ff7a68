import { defineEntity, p } from "@mikro-orm/core";
import { describe, expect, test } from "vitest";
import { ENTITIES } from "../entities/contexts.ts";
import { CONTEXTS } from "./contexts.ts";
import { DRIVERS } from "./offline-orm.ts";
import { inFull, inShort } from "../migrations/migration.ts";
import { migrationSource, schemaDifference, tablesSource } from "./schema-difference.ts";

const Box = defineEntity({
  name: "Box",
  properties: { id: p.integer().primary(), label: p.string().length(20) },
});
const Shelf = defineEntity({ name: "Shelf", properties: { id: p.integer().primary() } });
const WiderBox = defineEntity({
  name: "Box",
  properties: {
    id: p.integer().primary(),
    label: p.string().length(20),
    color: p.string().length(10).nullable(),
  },
});

describe.each(DRIVERS)("%s", (driver) => {
  test.each(CONTEXTS)("finds no difference between the %s entities and themselves", (context) => {
    const entities = ENTITIES[context];
    expect(schemaDifference(driver, entities, entities)).toEqual([]);
  });

  test("creates a new table", () => {
    const [statement = "", ...others] = schemaDifference(driver, [Shelf], [Shelf, Box]);
    expect(statement).toMatch(/^create table [`"[]box[`"\]] \(/);
    expect(others).toEqual([]);
  });

  test("adds a column, and removes it in the other direction", () => {
    expect(schemaDifference(driver, [Box], [WiderBox]).join("\n")).toMatch(
      /^alter table [`"[]box[`"\]] add .*[`"[]color[`"\]]/,
    );
    expect(schemaDifference(driver, [WiderBox], [Box]).join("\n")).toMatch(
      /drop .*[`"[]color[`"\]]/,
    );
  });
});

test.each(DRIVERS)("%s: statements in short and in full are the same", (driver) => {
  for (const sql of CONTEXTS.flatMap((one) => schemaDifference(driver, [], ENTITIES[one]))) {
    const quoted = sql.replaceAll(/[`[\]]/g, '"').replace(/;$/, "");
    expect(inFull(driver, inShort(driver, sql))).toBe(quoted);
  }
});

const EVERY = (sql: string) => ({ sqlite: [sql], postgresql: [sql], mysql: [sql], mssql: [sql] });

test("writes a migration of all databases once where they agree", () => {
  const statements = {
    sqlite: ["create index `a` on `boxes` (`color`);"],
    postgresql: ['create index "a" on "boxes" ("color");'],
    mysql: ["alter table `boxes` add index `a` (`color`);"],
    mssql: ["create index [a] on [boxes] ([color]);"],
  };
  const source = migrationSource("Migration1_color", statements);
  expect(source).toContain(
    'statements: onEveryDatabase([\n    \'create index "a" on "boxes" ("color")\',\n  ]),',
  );
});

test("writes the statements of each database where they differ, in several lines", () => {
  const long = `alter table "boxes" add ${'"color" varchar(10) null, add '.repeat(9)}"size" int`;
  const mysql = ["alter table `boxes` add `color` varchar(9) collate utf8mb4_bin null;"];
  const source = migrationSource("Migration1_color", { ...EVERY(long), mysql });
  expect(source).toContain(
    '    mysql: [\n      \'alter table "boxes" add "color" varchar(9) null\',',
  );
  expect(source.split("\n").every((line) => line.length <= 100)).toBe(true);
  expect(source.replaceAll(/\s+/g, " ")).toContain(long);
});

test("writes the tables of all databases for both contexts", () => {
  const catalog = {
    sqlite: ["create table `box` (`a` text null);"],
    postgresql: ['create table "box" ("a" varchar(9) null);'],
    mysql: ["create table `box` (`a` varchar(9) null);"],
    mssql: ["create table [box] ([a] nvarchar(9) collate Latin1_General_100_BIN2 null);"],
  };
  const source = tablesSource({ catalog, identity: EVERY('drop table "box"') });
  const text = `onEveryDatabase([\n  'create table "box" ("a" text(9) null)',\n]);`;
  expect(source).toContain(`export const CATALOG = ${text}`);
  expect(source).toContain("export const IDENTITY = onEveryDatabase([");
});

test("refuses tables that differ by more than their spelling", () => {
  const catalog = { ...EVERY('drop table "box"'), mysql: [] };
  expect(() => tablesSource({ catalog, identity: EVERY("") })).toThrow(/tables of catalog/);
});
