import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PackageVersion } from "./package-version.ts";
import {
  comparePackageVersions,
  compareVersionTexts,
  lowerVersion,
  parsePackageVersion,
} from "./package-version.ts";

test.each([
  ["1", "1.0.0", "1.0.0"],
  ["1.0", "1.0.0", "1.0.0"],
  ["1.0.0.0", "1.0.0", "1.0.0"],
  ["01.02.03", "1.2.3", "1.2.3"],
  ["1.00.0.1", "1.0.0.1", "1.0.0.1"],
  [" 1.0 ", "1.0.0", "1.0.0"],
  ["2147483647", "2147483647.0.0", "2147483647.0.0"],
  ["1.0.0-0a", "1.0.0-0a", "1.0.0-0a"],
  ["1.0.0-99999999999", "1.0.0-99999999999", "1.0.0-99999999999"],
  ["1.0.0+01", "1.0.0", "1.0.0+01"],
  ["1.2.3.4-Beta.1+X", "1.2.3.4-Beta.1", "1.2.3.4-Beta.1+X"],
])("reads %j as %s, in full %s", (text, normalized, full) => {
  expect(parsePackageVersion(text)).toMatchObject({ normalized, full });
});

test.each([
  "",
  "v1.0",
  "1.0.0-",
  "1.0.0-a..b",
  "1.0.0-01",
  "1.0.0+a..b",
  "1.0.0-a+b+c",
  "2147483648.0",
  "1.0.0.0.0",
  "-1.0",
  "+1.0",
  "1.0.0-ü",
  "1.0.0-a_b",
  "1.0.0- a",
  "1..0",
  "1.",
  "0x1.0",
  "1.0.0-rc\n.1",
  `1.0.0-${"a".repeat(300)}`,
])("does not take %j for a version", (text) => {
  expect(parsePackageVersion(text)).toBeUndefined();
});

test.each([
  ["1.0.0", false, false],
  ["1.0.0-beta", true, false],
  ["1.0.0-beta-2", true, false],
  ["1.0.0-beta.2", true, true],
  ["1.0.0+build", false, true],
])("knows of %s whether it is a prerelease and needs SemVer 2.0.0", (text, pre, semVer2) => {
  expect(parsePackageVersion(text)).toMatchObject({ isPrerelease: pre, isSemVer2: semVer2 });
});

test("orders by number, release, label and length, as NuGet does", () => {
  const ascending = [
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0--",
    "1.0.0-99999999999",
    "1.0.0-A",
    "1.0.0-a.1",
    "1.0.0-a.b",
    "1.0.0-a.b.0",
    "1.0.0-beta",
    "1.0.0",
    "1.0.0.1-alpha",
    "1.0.0.1",
    "1.0.10",
    "1.9.0",
    "1.10.0",
  ];
  expect(ascending.toReversed().toSorted(compareVersionTexts)).toEqual(ascending);
});

test("treats versions that differ in metadata, casing or missing parts as equal", () => {
  expect(compareVersionTexts("1.0-Beta+x", "1.0.0.0-bETA+y")).toBe(0);
  expect(lowerVersion("1.0-Beta+x")).toBe("1.0.0-beta");
});

test("sorts invalid versions before all versions", () => {
  expect(compareVersionTexts("nonsense", "0.0.0-0")).toBeLessThan(0);
  expect(compareVersionTexts("0.0.0-0", "nonsense")).toBeGreaterThan(0);
  expect(compareVersionTexts("nonsense", "other")).toBe(0);
});

const number = fc.oneof(fc.nat(3), fc.nat(2_147_483_647));
const label = fc.stringMatching(/^(0|[1-9][0-9]{0,11}|[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,4})$/);
const anyVersion = fc
  .tuple(
    fc.array(number, { minLength: 1, maxLength: 4 }),
    fc.array(label, { maxLength: 3 }),
    fc.option(fc.stringMatching(/^[0-9A-Za-z-]{1,5}$/)),
  )
  .map(([numbers, labels, metadata]) => {
    const release = numbers.join(".") + (labels.length > 0 ? `-${labels.join(".")}` : "");
    return metadata === null ? release : `${release}+${metadata}`;
  });

test("the normal form of a normal form is itself", () => {
  fc.assert(
    fc.property(anyVersion, (text) => {
      const version = parse(text);
      expect(parse(version.normalized).normalized).toBe(version.normalized);
      expect(parse(version.full).full).toBe(version.full);
      expect(comparePackageVersions(version, parse(version.normalized))).toBe(0);
    }),
  );
});

test("the order is total: antisymmetric and transitive", () => {
  fc.assert(
    fc.property(anyVersion, anyVersion, anyVersion, (...texts) => {
      const [a, b, c] = texts.map(parse).toSorted(comparePackageVersions);
      if (!a || !b || !c) throw new Error("three versions go in and come out");
      expect(comparePackageVersions(a, b)).toBeLessThanOrEqual(0);
      expect(comparePackageVersions(b, c)).toBeLessThanOrEqual(0);
      expect(comparePackageVersions(a, c)).toBeLessThanOrEqual(0);
      const [there, back] = [comparePackageVersions(a, b), comparePackageVersions(b, a)];
      expect(Math.sign(there) + Math.sign(back)).toBe(0);
    }),
  );
});

test("versions are equal in order exactly when their lower-cased normal forms are", () => {
  fc.assert(
    fc.property(anyVersion, anyVersion, (left, right) => {
      expect(compareVersionTexts(left, right) === 0).toBe(
        lowerVersion(left) === lowerVersion(right),
      );
    }),
  );
});

test("any text is either a version or nothing, quickly", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), (text) => {
      const version = parsePackageVersion(text);
      if (version) expect(parsePackageVersion(version.full)).toEqual(version);
    }),
  );
});

function parse(text: string): PackageVersion {
  const version = parsePackageVersion(text);
  if (!version) throw new Error(`${text} is no version`);
  return version;
}
