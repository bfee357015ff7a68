import { expect, test } from "vitest";
import { parsePackageVersion } from "./package-version.ts";

test.each([
  ["1.2.3", "1.2.3"],
  ["v1.2.3", "1.2.3"],
  ["=1.2.3", "1.2.3"],
  ["1.2.3+build.5", "1.2.3"],
  ["1.0.0-rc.1+sha.abc", "1.0.0-rc.1"],
  [" 1.0.0 ", "1.0.0"],
])("%j is version %s", (text, version) => {
  expect(parsePackageVersion(text)).toBe(version);
});

test.each([
  "",
  "1",
  "1.2",
  "1.x",
  "^1.2.3",
  "latest",
  "01.2.3",
  "1.2.3-",
  `1.0.${"9".repeat(256)}`,
])("%j is not a version", (text) => {
  expect(parsePackageVersion(text)).toBeUndefined();
});
