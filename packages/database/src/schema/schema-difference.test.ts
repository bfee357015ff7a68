import { defineEntity, p } from "@mikro-orm/core";
import { describe, expect, test } from "vitest";
import { ENTITIES } from "../entities/contexts.ts";
import { CONTEXTS } from "./contexts.ts";
import { DRIVERS } from "./offline-orm.ts";
import {
  schemaDifference,
  sharedMigrationSource,
  sqlMigrationSource,
} from "./schema-difference.ts";

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

const EVERY = (sql: string) => ({ sqlite: [sql], postgresql: [sql], mysql: [sql], mssql: [sql] });

test("writes a migration of all databases once where they agree", () => {
  const up = {
    sqlite: ["create index `a` on `boxes` (`color`);"],
    postgresql: ['create index "a" on "boxes" ("color");'],
    mysql: ["create index `a` on `boxes` (`color`);"],
    mssql: ["create index [a] on [boxes] ([color]);"],
  };
  const source = sharedMigrationSource("Migration1_color", { up, down: EVERY("select 1;") });
  expect(source).toContain('up: () => [\n      `create index "a" on "boxes" ("color")`,\n    ],');
  expect(source).toContain("down: () => [\n      `select 1`,\n    ],");
});

test("writes the statements of each database where they differ, in several lines", () => {
  const long = `alter table "boxes" add ${'"color" varchar(10) null, add '.repeat(9)}"size" int`;
  const up = { ...EVERY(long), mysql: ["alter table `boxes` add `color` longtext"] };
  const source = sharedMigrationSource("Migration1_color", { up, down: up });
  expect(source).toContain(
    "    mysql: [\n      `alter table \\`boxes\\` add \\`color\\` longtext`,",
  );
  expect(source.split("\n").every((line) => line.length <= 100)).toBe(true);
  expect(source.replaceAll(/\s+/g, " ")).toContain(long);
});

test("writes a migration of SQL Server without the collation that all text has", () => {
  const statement = "alter table [box] add [a] nvarchar(9) collate Latin1_General_100_BIN2 null;";
  const source = sqlMigrationSource("Migration1_color", [statement]);
  expect(source).toContain("    `alter table [box] add [a] nvarchar(9) null`,\n  ].map(collated),");
});
