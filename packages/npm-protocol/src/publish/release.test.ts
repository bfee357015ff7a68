import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { parseNewPackageName } from "../package-name.ts";
import { publishBody } from "../testing/publish-body.ts";
import { checkTarball, parseRelease } from "./release.ts";

test.each(["npm", "pnpm", "yarn"] as const)("reads what %s sends", (style) => {
  const release = read(publishBody({ style, tag: "next", readme: "# Hi", manifest: { a: 1 } }));
  expect(release).toMatchObject({
    name: "demo",
    version: "1.0.0",
    tags: ["next"],
    sent: { name: "demo", a: 1 },
    readme: "# Hi",
    claimed: { length: expect.any(Number), integrity: expect.stringMatching(/^sha512-/) },
  });
});

test("knows a version without its build metadata, which only some clients send", () => {
  const tarball = Buffer.from("x");
  const yarn = read(publishBody({ version: "1.0.0+build.5", tarball }));
  expect(yarn).toMatchObject({ version: "1.0.0", tags: ["latest"] });
});

test.each<[string, JsonObject, string]>([
  ["another name", { name: "other" }, "document-invalid"],
  ["no name", { name: undefined }, "document-invalid"],
  ["another _id", { _id: "other" }, "document-invalid"],
  ["no versions", { versions: undefined }, "document-invalid"],
  ["no version", { versions: {} }, "document-invalid"],
  ["two versions", { versions: { "1.0.0": {}, "2.0.0": {} } }, "document-invalid"],
  ["a version that is a text", { versions: { "1.0.0": "x" } }, "document-invalid"],
  ["a version that is none", { versions: { "1.x": {} } }, "version-invalid"],
  ["a manifest of another name", versionsWith({ name: "other" }), "document-invalid"],
  ["a manifest of another version", versionsWith({ version: "1.0.1" }), "document-invalid"],
  ["a manifest without version", versionsWith({ version: undefined }), "document-invalid"],
  ["no tag", { "dist-tags": {} }, "document-invalid"],
  ["a tag that is a range", { "dist-tags": { "1.x": "1.0.0" } }, "tag-invalid"],
  ["a tag of another version", { "dist-tags": { latest: "2.0.0" } }, "document-invalid"],
  ["a tag that points to a list", { "dist-tags": { latest: ["1.0.0"] } }, "document-invalid"],
  ["11 tags", { "dist-tags": tagsTo("1.0.0", 11) }, "document-invalid"],
  ["no data", { _attachments: { "a.tgz": {} } }, "document-invalid"],
  ["two tarballs", { _attachments: { "a.tgz": {}, "b.tgz": {} } }, "document-invalid"],
  [
    "a provenance statement without text",
    { _attachments: { "a.tgz": { data: "" }, "a.sigstore": {} } },
    "document-invalid",
  ],
  [
    "a provenance statement alone",
    { _attachments: { "a.sigstore": { data: "{}" } } },
    "document-invalid",
  ],
])("refuses a body with %s", (_, overrides, code) => {
  expect(() => read(publishBody({ overrides }))).toThrow(expect.objectContaining({ code }));
});

test("cuts a readme at 64 KiB, between characters", () => {
  const { readme = "" } = read(publishBody({ readme: `x${"\u20ac".repeat(30_000)}` }));
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(64 * 1024);
  expect(readme).toMatch(/^x\u20ac{21845}$/);
});

test("compares what was packed with what arrived", () => {
  const tarball = Buffer.from("the tarball");
  const release = read(publishBody({ tarball }));
  const digests = { sha1: hash("sha1", tarball), sha512: hash("sha512", tarball) };
  checkTarball(release, { size: tarball.length, digests });

  const other = Buffer.from("another one");
  const received = {
    size: 5,
    digests: { sha1: hash("sha1", other), sha512: hash("sha512", other) },
  };
  expect(() => checkTarball(release, received)).toThrow(
    /5 bytes, not 11, its integrity is another, its shasum is another/,
  );
});

function read(body: string) {
  const name = parseNewPackageName("demo");
  if (!name) throw new Error("no name");
  return parseRelease(JSON.parse(body) as JsonObject, name);
}

function versionsWith(fields: JsonObject): JsonObject {
  return { versions: { "1.0.0": { name: "demo", version: "1.0.0", ...fields } } };
}

function hash(algorithm: string, bytes: Buffer): string {
  return createHash(algorithm).update(bytes).digest("hex");
}

test("takes ten tags", () => {
  const { tags } = read(publishBody({ overrides: { "dist-tags": tagsTo("1.0.0", 10) } }));
  expect(tags).toHaveLength(10);
});

function tagsTo(version: string, count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, version]));
}
