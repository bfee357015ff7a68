import { crc32 } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Nuspec } from "./manifest/nuspec.ts";
import { isSemVer2Nuspec, parseNuspec } from "./manifest/nuspec.ts";
import { comparePackageVersions, parsePackageVersion } from "./notation/package-version.ts";
import { buildNupkg, buildNuspec, sourceOf } from "./testing/build-nupkg.ts";
import type { ZipEntry } from "./testing/zip-writer.ts";
import { buildZip } from "./testing/zip-writer.ts";
import { validatePackage } from "./push/validate-package.ts";
import {
  formatVersionRange,
  isSemVer2Range,
  parseVersionRange,
  rangeContains,
} from "./notation/version-range.ts";

const number = fc.oneof(fc.nat(3), fc.nat(2_147_483_647));
const label = fc.stringMatching(/^(?:0|[1-9][0-9]{0,11}|[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,9})$/);
const version = fc
  .record({
    numbers: fc.array(number, { minLength: 1, maxLength: 4 }),
    labels: fc.array(label, { maxLength: 4 }),
  })
  .map(({ numbers, labels }) => [numbers.join("."), ...joined("-", labels)].join(""));

function joined(mark: string, parts: readonly string[]): readonly string[] {
  return parts.length > 0 ? [`${mark}${parts.join(".")}`] : [];
}

test("a version's full form reads as the same version, and its normal form as itself", () => {
  const metadata = fc.array(fc.stringMatching(/^[0-9A-Za-z-]{1,6}$/), { maxLength: 2 });
  fc.assert(
    fc.property(version, metadata, (text, parts) => {
      const read = parsePackageVersion([text, ...joined("+", parts)].join(""));
      if (!read) throw new Error(`${text} is a version`);
      expect(parsePackageVersion(read.full)).toEqual(read);
      const normal = parsePackageVersion(read.normalized);
      expect(normal?.normalized).toBe(read.normalized);
      expect(normal && comparePackageVersions(normal, read)).toBe(0);
    }),
  );
});

test("sorting versions gives one order, however they lay before", () => {
  fc.assert(
    fc.property(fc.array(version, { maxLength: 12 }), (texts) => {
      const read = texts.flatMap((text) => parsePackageVersion(text) ?? []);
      const order = (versions: typeof read) =>
        versions.toSorted(comparePackageVersions).map((listed) => listed.normalized.toLowerCase());
      expect(order(read.toReversed())).toEqual(order(read));
    }),
  );
});

const range = fc.oneof(
  version,
  version.map((text) => `[${text}]`),
  fc
    .record({
      open: fc.constantFrom("[", "("),
      from: fc.option(version),
      to: fc.option(version),
      close: fc.constantFrom("]", ")"),
      blank: fc.constantFrom("", " "),
    })
    .map(({ open, from, to, close, blank }) => `${open}${from ?? ""},${blank}${to ?? ""}${close}`),
);

test("a range reads back from the form that documents show", () => {
  fc.assert(
    fc.property(range, (text) => {
      const read = parseVersionRange(text);
      if (!read) return;
      const shown = formatVersionRange(read);
      const again = parseVersionRange(shown);
      expect(again && formatVersionRange(again)).toBe(shown);
      expect(again && isSemVer2Range(again)).toBe(isSemVer2Range(read));
    }),
  );
});

test("the longest range of a package reads back, too", () => {
  const text = `[1-${"a".repeat(120)}.${"b".repeat(120)}]`;
  const shown = formatVersionRange(parseVersionRange(text) ?? {});
  expect(shown.length).toBeGreaterThan(2 * 240);
  expect(formatVersionRange(parseVersionRange(shown) ?? {})).toBe(shown);
});

test("a range holds exactly what lies between its bounds", () => {
  fc.assert(
    fc.property(range, version, (text, candidate) => {
      const [read, packageVersion] = [parseVersionRange(text), parsePackageVersion(candidate)];
      if (!read || !packageVersion) return;
      const [low, high] = [read.lower, read.upper].map(
        (bound) => bound && comparePackageVersions(packageVersion, bound.version),
      );
      const above = low === undefined || low > 0 || (low === 0 && read.lower?.isInclusive === true);
      const below =
        high === undefined || high < 0 || (high === 0 && read.upper?.isInclusive === true);
      expect(rangeContains(read, packageVersion)).toBe(above && below);
    }),
  );
});

test("no text makes the readers of versions and ranges throw or hang", () => {
  const piece = fc.constantFrom(
    "[",
    "]",
    "(",
    ")",
    ",",
    ".",
    "-",
    "+",
    "*",
    " ",
    "0",
    "01",
    "9",
    "a",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 400 }),
    fc.array(piece, { maxLength: 300 }).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(text, (input) => {
      parsePackageVersion(input);
      parseVersionRange(input);
    }),
  );
});

/** Characters that XML allows, without white space at the ends, which manifests do not preserve. */
const words = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .map((text) => text.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, "").trim())
  .filter((text) => text !== "");
const packageId = fc.stringMatching(/^[A-Za-z0-9_]{1,8}(?:[.-][A-Za-z0-9_]{1,8}){0,3}$/);
const dependency = fc.record({ id: packageId, range: fc.option(version, { nil: undefined }) });
const VERSION_LENGTH_MAX = 64;
const manifest = fc.record({
  id: packageId,
  version: version.filter(
    (text) => (parsePackageVersion(text)?.full.length ?? 0) <= VERSION_LENGTH_MAX,
  ),
  authors: words,
  description: words,
  title: fc.option(words, { nil: undefined }),
  releaseNotes: fc.option(words, { nil: undefined }),
  dependencies: fc.uniqueArray(dependency, {
    selector: ({ id }) => id.toLowerCase(),
    maxLength: 4,
  }),
  developmentDependency: fc.boolean(),
});
type Manifest = typeof manifest extends fc.Arbitrary<infer One> ? One : never;
type TextEncoding = "entities" | "cdata" | "numbers";
const spelling = fc.constantFrom<TextEncoding>("entities", "cdata", "numbers");

test("reads the values of a manifest in every notation", () => {
  fc.assert(
    fc.property(manifest, spelling, fc.boolean(), (input, how, isReversed) => {
      const outcome = parseNuspec(Buffer.from(nuspecOf(input, how, isReversed)));
      if (outcome.status === "invalid") throw new Error(outcome.problems.join(" "));
      const { nuspec } = outcome;
      expect(shownBy(nuspec)).toEqual(expected(input));
      expect(JSON.parse(JSON.stringify(nuspec))).toEqual(withoutUndefined(nuspec));
      expect(isSemVer2Nuspec(nuspec)).toBe(isSemVer2Manifest(input));
    }),
  );
});

function isSemVer2Manifest({ version: own, dependencies }: Manifest): boolean {
  const ranges = dependencies.flatMap((listed) => listed.range ?? []);
  return [own, ...ranges].some((text) => parsePackageVersion(text)?.isSemVer2 === true);
}

function nuspecOf(source: Manifest, how: TextEncoding, isReversed: boolean): string {
  const { dependencies, developmentDependency, ...texts } = source;
  const fields = Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : [`<${name}>${spelled(text, how)}</${name}>`],
  );
  const list = dependencies.map(({ id, range: rangeText }) => {
    const attribute = rangeText === undefined ? "" : ` version="${spelled(rangeText, "entities")}"`;
    return `<dependency id="${id}"${attribute} />`;
  });
  const all = [
    ...fields,
    `<developmentDependency>${developmentDependency}</developmentDependency>`,
    `<dependencies>${list.join("")}</dependencies>`,
  ];
  return buildNuspec((isReversed ? all.toReversed() : all).join("\n"));
}

function spelled(text: string, how: TextEncoding): string {
  if (how === "cdata") return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
  if (how === "numbers") {
    return Array.from(text)
      .map((character) => `&#x${character.codePointAt(0)?.toString(16)};`)
      .join("");
  }
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function shownBy(nuspec: Nuspec) {
  const { id, version: own, authors, description, title, releaseNotes } = nuspec;
  const { developmentDependency, dependencyGroups } = nuspec;
  const dependencies = dependencyGroups.flatMap((group) => group.dependencies);
  const texts = { id, version: own, authors, description, title, releaseNotes };
  return { ...texts, developmentDependency, dependencies };
}

function expected(source: Manifest): ReturnType<typeof shownBy> {
  const dependencies = source.dependencies.map(({ id, range: rangeText }) => {
    const read = rangeText === undefined ? undefined : parseVersionRange(rangeText);
    return { id, range: read ? formatVersionRange(read) : "(, )" };
  });
  return { ...source, version: parsePackageVersion(source.version)?.full ?? "", dependencies };
}

function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const fileName = fc.stringMatching(/^[a-z][a-z0-9]{0,9}(?:\/[a-z][a-z0-9 ]{0,8}[a-z]){0,3}\.txt$/);
const file: fc.Arbitrary<ZipEntry> = fc.record({
  name: fileName,
  data: fc.oneof(fc.uint8Array({ maxLength: 2000 }), fc.constant(Buffer.alloc(90_000, "ab"))),
  method: fc.constantFrom("store" as const, "deflate" as const),
  hasDescriptor: fc.boolean(),
});
const files = fc.uniqueArray(file, { selector: ({ name }) => name, maxLength: 8 });
const identity = { id: "Acme.Widgets", version: "1.2.3" };

test("a well-formed archive is taken, whatever lies in it and however packed", async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.string({ maxLength: 100 }), async (entries, comment) => {
      fc.pre(!comment.includes("PK\u0005\u0006"));
      const bytes = buildNupkg({ ...identity, entries, faults: { comment } });
      const verdict = await validatePackage(sourceOf(bytes));
      expect(verdict).toMatchObject({ status: "valid", package: { nuspec: { id: identity.id } } });
    }),
    { numRuns: 60 },
  );
});

const lie: fc.Arbitrary<(entry: ZipEntry) => ZipEntry> = fc.oneof(
  fc
    .constantFrom("../", "/", "C:/", "a//", "%2e%2e/", "a\\..\\")
    .map((prefix) => (entry: ZipEntry) => ({ ...entry, name: `${prefix}${entry.name}` })),
  fc.integer({ min: 1, max: 0xffff_ffff }).map((bits) => (entry: ZipEntry) => ({
    ...entry,
    claimed: { crc32: (crc32(Buffer.from(entry.data)) ^ bits) >>> 0 },
  })),
  fc.integer({ min: 1, max: 5000 }).map((more) => (entry: ZipEntry) => ({
    ...entry,
    claimed: { size: entry.data.length + more },
  })),
  fc
    .constantFrom(1, 9, 14, 97)
    .map((method) => (entry: ZipEntry) => ({ ...entry, claimed: { method } })),
  fc.constant((entry: ZipEntry) => ({ ...entry, flags: 1 })),
  fc.constant((entry: ZipEntry) => ({ ...entry, localName: `${entry.name}x` })),
  fc.nat(2_000_000).map((far) => (entry: ZipEntry) => ({
    ...entry,
    claimed: { offset: 400_000 + far },
  })),
);

test("an archive with one lie in it is refused with one reason", async () => {
  await fc.assert(
    fc.asyncProperty(file, lie, async (entry, tell) => {
      const bytes = buildNupkg({
        ...identity,
        entries: [tell({ ...entry, hasDescriptor: false })],
      });
      const verdict = await validatePackage(sourceOf(bytes));
      expect(verdict).toMatchObject({ status: "invalid", problems: [expect.any(String)] });
    }),
    { numRuns: 200 },
  );
});

test("archives of any bytes at all are refused in words", async () => {
  const entry = fc.record({
    name: fc.string({ unit: "binary", maxLength: 20 }),
    data: fc.uint8Array({ maxLength: 50 }),
  });
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.array(entry, { maxLength: 5 }).map((entries) => buildZip(entries)),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (input) => {
      const verdict = await validatePackage(sourceOf(input));
      expect(verdict).toMatchObject({ status: "invalid" });
      expect(verdict.status === "invalid" && verdict.problems.join("")).toMatch(/\w/);
    }),
  );
});
