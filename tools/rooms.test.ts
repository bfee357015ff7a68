import { expect, test } from "vitest";
import { roomBreaches, roomFigures, roomImports } from "./rooms.ts";

const filesOf = (files: Readonly<Record<string, string>>) => new Map(Object.entries(files));
const FOLDER = "packages/pages";
const LINK = `${FOLDER}/src/kit/link.ts`;
const table = { [FOLDER]: { npm: ["kit"], nuget: ["kit"] } };
const allowed = {
  [LINK]: "export const link = 1;",
  [`${FOLDER}/src/npm/page.ts`]: 'import { link } from "../kit/link.ts";',
  [`${FOLDER}/src/nuget/page.ts`]: 'export type { Link } from "../kit/link.ts";',
};

test("rooms that stand side by side may import the room below them", () => {
  expect(roomBreaches(table, filesOf(allowed))).toEqual([]);
});

test.each([
  ["a room at its side", "npm/card.ts", '"../nuget/page.ts"', "npm may not import nuget"],
  ["a room above it", "kit/card.ts", '"../npm/page.ts"', "kit may not import npm"],
  ["a room later", "npm/card.ts", 'import("../nuget/page.ts")', "npm may not import nuget"],
])("refuses a room that imports %s", (_, path, target, words) => {
  const file = `${FOLDER}/src/${path}`;
  const text = target.startsWith("import") ? `await ${target};` : `import {} from ${target};`;
  expect(roomBreaches(table, filesOf({ ...allowed, [file]: text }))).toEqual([
    expect.stringContaining(`${file}: ${words}`),
  ]);
});

test("refuses a row of the table that no import needs", () => {
  const { [LINK]: link = "", ...rest } = allowed;
  const npm = `${FOLDER}/src/npm/page.ts`;
  expect(roomBreaches(table, filesOf({ ...rest, [LINK]: link, [npm]: "" }))).toEqual([
    "ROOMS_MAY_IMPORT (tools/may-import.ts): packages/pages: npm does not import kit",
  ]);
});

test("tests, their support, and files above all rooms may import every room", () => {
  const nuget = 'import {} from "../nuget/page.ts";';
  const files = {
    ...allowed,
    [`${FOLDER}/src/npm/page.test.ts`]: nuget,
    [`${FOLDER}/src/testing/browser.ts`]: nuget,
    [`${FOLDER}/src/index.ts`]: 'export {} from "./nuget/page.ts";',
  };
  expect(roomBreaches(table, filesOf(files))).toEqual([]);
  expect(roomImports(FOLDER, filesOf(files))).toHaveLength(2);
});

test("arrows between rooms are counted once, and pairs that import each other", () => {
  expect(roomFigures(FOLDER, filesOf(allowed))).toEqual({ arrows: 2, mutual: 0 });
  const both = {
    ...allowed,
    [`${FOLDER}/src/npm/card.ts`]: 'import {} from "../kit/link.ts";',
    [`${FOLDER}/src/kit/card.ts`]: 'import {} from "../npm/page.ts";',
  };
  expect(roomFigures(FOLDER, filesOf(both))).toEqual({ arrows: 3, mutual: 1 });
});
