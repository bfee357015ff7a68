import type { EntitySchema } from "@mikro-orm/core";
import { defineEntity, p } from "@mikro-orm/core";
import { describe, expect, test } from "vitest";
import { ENTITIES } from "../entities/contexts.ts";
import { CONTEXTS } from "./contexts.ts";
import { DRIVERS } from "./offline-orm.ts";
import { migrationSource, schemaDifference, sqlMigrationSource } from "./schema-difference.ts";

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
    const entities = ENTITIES[context] as readonly EntitySchema[];
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

test("writes the class of a migration, with long statements in several lines", () => {
  const long = "alter table `boxes` add column `color` varchar(10) null, add column `size` int;";
  const source = migrationSource("Migration1_color", { up: [long], down: ["select 1;"] });
  expect(source).toContain('override name = "Migration1_color";');
  expect(source).toContain("this.addSql(`alter table \\`boxes\\` add column");
  expect(source.split("\n").every((line) => line.length <= 100)).toBe(true);
  expect(source.replaceAll(/\s+/g, " ")).toContain(long.replaceAll("`", "\\`"));
});

test("writes a migration of SQL Server without the collation that all text has", () => {
  const statement = "alter table [box] add [a] nvarchar(9) collate Latin1_General_100_BIN2 null;";
  const source = sqlMigrationSource("Migration1_color", [statement]);
  expect(source).toContain("    `alter table [box] add [a] nvarchar(9) null`,\n  ].map(collated),");
});
