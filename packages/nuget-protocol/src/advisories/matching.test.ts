import { expect, test } from "vitest";
import { advisoriesFor } from "./matching.ts";
import type { Advisory } from "./ports.ts";
import { parsePackageVersion } from "../notation/package-version.ts";

const early = advisory("(, 1.2.3)");
const middle = advisory("[1.0.0, 2.0.0)");
const exact = advisory("[2.0.0-beta]");
const broken = advisory("below two");
const all = [early, middle, exact, broken];

test.each([
  ["0.9.0", [early]],
  ["1.1.0", [early, middle]],
  ["1.2.3", [middle]],
  ["2.0.0-BETA", [middle, exact]],
  ["2.0.0", []],
  ["not a version", []],
])("finds what is about %s", (version, expected) => {
  expect(advisoriesFor(version, all)).toEqual(expected);
});

test("takes a version that was read already", () => {
  const version = parsePackageVersion("1.2.3+build");
  expect(version && advisoriesFor(version, all)).toEqual([middle]);
});

function advisory(versions: string): Advisory {
  return { severity: 2, url: "https://github.com/advisories/GHSA-xxxx", versions };
}
