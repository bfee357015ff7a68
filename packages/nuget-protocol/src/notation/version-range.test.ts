import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parsePackageVersion } from "./package-version.ts";
import type { VersionRange } from "./version-range.ts";
import {
  formatVersionRange,
  hasMetadataBound,
  isSemVer2Range,
  parseVersionRange,
  rangeContains,
} from "./version-range.ts";

// The right column is what NuGet.Versioning 7.9 makes of the left one.
test.each([
  ["1.0", "[1.0.0, )"],
  ["1", "[1.0.0, )"],
  ["[1.0]", "[1.0.0, 1.0.0]"],
  ["[1.0,2.0)", "[1.0.0, 2.0.0)"],
  ["(1.0,)", "(1.0.0, )"],
  ["(,1.0]", "(, 1.0.0]"],
  ["[1.0,1.0]", "[1.0.0, 1.0.0]"],
  ["(1.0,1.0)", "(1.0.0, 1.0.0)"],
  ["(, )", "(, )"],
  ["[ ]", "(, )"],
  [" [1.0 , 2.0 ] ", "[1.0.0, 2.0.0]"],
  ["[1.0.0-beta, )", "[1.0.0-beta, )"],
  ["[1.0.0+meta, )", "[1.0.0, )"],
  ["[1.0.0.0,2.0]", "[1.0.0, 2.0.0]"],
])("reads %j as %s", (text, normal) => {
  expect(formatted(text)).toBe(normal);
});

test.each([
  "",
  "(,)",
  "[,]",
  "[]",
  "()",
  "[1.0)",
  "(1.0]",
  "[2.0,1.0]",
  "[1.0,1.0)",
  "(1.0,1.0]",
  "1.0.*",
  "*",
  "[1.*,)",
  "[1.0.0-*,)",
  "[1,2,3]",
  "v1.0",
  "(,1.0",
  "1.0,2.0",
  `[1.0, ${" ".repeat(1100)})`,
])("does not take %j for a range", (text) => {
  expect(parseVersionRange(text)).toBeUndefined();
});

test.each([
  ["[1.0.0, 2.0.0)", false],
  ["1.0.0-beta", false],
  ["1.0.0-beta.1", true],
  ["(, 2.0.0-rc.1]", true],
  ["[1.0.0+x, )", true],
])("knows of %s whether a bound needs SemVer 2.0.0", (text, expected) => {
  expect(isSemVer2Range(parse(text))).toBe(expected);
});

test("notices build metadata in a bound", () => {
  expect(hasMetadataBound(parse("[1.0.0+x, )"))).toBe(true);
  expect(hasMetadataBound(parse("[1.0.0-x, )"))).toBe(false);
});

test.each([
  ["1.0", "1.0.0", true],
  ["1.0", "7.0.0", true],
  ["1.0", "1.0.0-rc", false],
  ["[1.0]", "1.0.0.0", true],
  ["[1.0]", "1.0.0+build", true],
  ["[1.0]", "1.0.1", false],
  ["(1.0, )", "1.0.0", false],
  ["(, 2.0)", "0.0.1-alpha", true],
  ["(, 2.0)", "2.0.0-beta", true],
  ["(, 2.0)", "2.0.0", false],
  ["(, 2.0]", "2.0.0", true],
  ["[1.0.0-BETA]", "1.0.0-beta", true],
  ["[1.0.0-beta.2, 1.0.0)", "1.0.0-beta.10", true],
  ["(, )", "0.0.0", true],
])("knows whether %s contains %s: %j", (range, version, expected) => {
  const parsed = parsePackageVersion(version);
  expect(parsed && rangeContains(parse(range), parsed)).toBe(expected);
});

test("the normal form of a range reads as the same range", () => {
  const part = fc.nat(5);
  const bound = fc.option(fc.tuple(part, part), { nil: undefined });
  fc.assert(
    fc.property(bound, bound, fc.constantFrom("[", "("), fc.constantFrom("]", ")"), (...input) => {
      const [low, high, open, close] = input;
      const text = `${open}${low?.join(".") ?? " "}, ${high?.join(".") ?? ""}${close}`;
      const range = parseVersionRange(text);
      if (range) expect(formatted(formatVersionRange(range))).toBe(formatVersionRange(range));
    }),
  );
});

function parse(text: string): VersionRange {
  const range = parseVersionRange(text);
  if (!range) throw new Error(`${text} is no range`);
  return range;
}

function formatted(text: string): string {
  return formatVersionRange(parse(text));
}
