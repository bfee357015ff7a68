import { expect, test } from "vitest";
import { isSourceError } from "../source-error.ts";
import { byCodeUnit, canonicalJson } from "./canonical-json.ts";
import { parseNpmConfig, parseNuGetConfig } from "./package-config.ts";

const bytesOf = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const nuget = { id: "Acme.Core", version: "1.0.0" };
const npm = { name: "left-pad", version: "1.0.0", manifest: '{"name":"left-pad"}' };

test.each([
  ["no JSON", "{", /is not a JSON object/],
  ["a list", [], /is not a JSON object/],
  ["null", null, /is not a JSON object/],
  ["a text", '"a"', /is not a JSON object/],
  ["no id", { version: "1.0.0" }, /no valid name and version/],
  ["an id that is a list", { ...nuget, id: ["a"] }, /no valid name and version/],
  ["a path as an id", { ...nuget, id: "../x" }, /no valid name and version/],
  ["no version", { id: "Acme.Core" }, /no valid name and version/],
  ["a version that is a number", { ...nuget, version: 1 }, /no valid name and version/],
  ["a path as a version", { ...nuget, version: "../1" }, /no valid name and version/],
])("refuses a NuGet package with %s by the name of its entry", (_, value, expected) => {
  const parse = () => parseNuGetConfig(bytesOf(value), "blobs/sha256/ab");
  expect(parse).toThrow(expected);
  expect(parse).toThrow('The entry "blobs/sha256/ab"');
  expect(parse).toThrow(expect.toSatisfy(isSourceError));
});

test.each([
  ["no name", { version: "1.0.0", manifest: "{}" }, /no valid name and version/],
  ["a path as a name", { ...npm, name: "../x" }, /no valid name and version/],
  ["a range as a version", { ...npm, version: "^1" }, /no valid name and version/],
  ["no manifest", { name: "left-pad", version: "1.0.0" }, /is not a JSON object/],
  ["a manifest that is an object", { ...npm, manifest: {} }, /is not a JSON object/],
  ["a manifest that is a list", { ...npm, manifest: "[]" }, /is not a JSON object/],
])("refuses an npm version with %s", (_, value, expected) => {
  expect(() => parseNpmConfig(bytesOf(value), "x")).toThrow(expected);
});

test.each([
  [{}, { listed: true, origin: "Published", publishedAt: undefined, deprecation: undefined }],
  [
    { listed: false, origin: "Mirrored" },
    { listed: false, origin: "Mirrored" },
  ],
  [
    { listed: "no", origin: "Stolen" },
    { listed: true, origin: "Published" },
  ],
  [{ publishedAt: "2020-01-02" }, { publishedAt: new Date("2020-01-02") }],
  [{ publishedAt: "soon" }, { publishedAt: undefined }],
  [{ publishedAt: {} }, { publishedAt: undefined }],
  [
    { deprecation: { reasons: ["Legacy", "Boredom"], message: "x" } },
    {
      deprecation: { reasons: ["Legacy"], message: "x" },
    },
  ],
  [{ deprecation: { reasons: ["Boredom"] } }, { deprecation: undefined }],
  [{ deprecation: { reasons: "Legacy" } }, { deprecation: undefined }],
  [
    { deprecation: { reasons: ["Other"], alternatePackage: { id: "B" } } },
    {
      deprecation: { reasons: ["Other"] },
    },
  ],
  [
    { deprecation: { reasons: ["Other"], alternatePackage: { id: "B", range: "*" } } },
    {
      deprecation: { reasons: ["Other"], alternatePackage: { id: "B", range: "*" } },
    },
  ],
])("takes only the known fields of a NuGet package with %j", (fields, expected) => {
  const config = parseNuGetConfig(bytesOf({ ...nuget, ...fields }), "x");
  expect(config).toMatchObject({ ...nuget, ...expected });
  const { alternatePackage } = config.deprecation ?? {};
  expect(alternatePackage === undefined).toBe(
    !JSON.stringify(expected).includes("alternatePackage"),
  );
});

test("a deprecated npm version has its text in the manifest", () => {
  const dist = { shasum: "ab" };
  const config = parseNpmConfig(
    bytesOf({ ...npm, dist, deprecated: "use 2", tags: ["latest", 7], maintainers: [] }),
    "x",
  );
  expect(config).toMatchObject({
    manifest: { name: "left-pad", dist, deprecated: "use 2" },
    maintainers: [],
    readme: undefined,
  });
  const plain = parseNpmConfig(bytesOf({ ...npm, deprecated: 1, dist: [], tags: "latest" }), "x");
  expect(plain).toMatchObject({ manifest: { dist: {} }, tags: [] });
  expect(plain.manifest).not.toHaveProperty("deprecated");
});

test("equal values have equal bytes, whatever the order of their keys is", () => {
  const one = { b: [{ y: 1, x: null }], a: { d: 1, c: "ä" }, __proto__: undefined };
  const other = JSON.parse('{"a":{"c":"ä","d":1},"b":[{"x":null,"y":1}]}') as unknown;
  expect(canonicalJson(one)).toBe(canonicalJson(other));
  expect(canonicalJson(other)).toBe('{"a":{"c":"ä","d":1},"b":[{"x":null,"y":1}]}');
  const hostile = JSON.parse('{"__proto__":{"b":1,"a":2},"A":1}') as unknown;
  expect(canonicalJson(hostile)).toBe('{"A":1,"__proto__":{"a":2,"b":1}}');
  expect(["b", "a", "Z", "ä", "a"].toSorted(byCodeUnit)).toEqual(["Z", "a", "a", "b", "ä"]);
});
