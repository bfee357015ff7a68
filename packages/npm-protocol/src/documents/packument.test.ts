import { expect, test } from "vitest";
import type { NpmPackage } from "../ports.ts";
import type { NpmVersion } from "../npm-version.ts";
import {
  renderAbbreviatedPackument,
  renderDistTags,
  renderPackument,
  renderVersion,
  revisionOf,
  tarballAddress,
} from "./packument.ts";

const base = "https://registry.test/npm";
const npmPackage: NpmPackage = {
  name: "@acme/demo",
  revision: 7,
  createdAt: new Date("2026-01-01T00:00:00.001Z"),
  modifiedAt: new Date("2026-03-01T00:00:00Z"),
  readme: "# Demo",
  readmeFilename: "README.md",
  distTags: { latest: "1.0.0", next: "2.0.0-rc.1" },
  versions: [
    version("1.0.0", '{"name":"@acme/demo","description":"first","license":"MIT"}'),
    { ...version("2.0.0-rc.1", '{"name":"@acme/demo","description":"second"}'), deprecated: "no" },
  ],
};
const dist = {
  tarball: `${base}/@acme/demo/-/demo-1.0.0.tgz`,
  shasum: "ab",
  integrity: "sha512-x",
  fileCount: 2,
  unpackedSize: 10,
};
const time = {
  created: "2026-01-01T00:00:00.001Z",
  modified: "2026-03-01T00:00:00.000Z",
  "1.0.0": "2026-02-01T00:00:00.000Z",
  "2.0.0-rc.1": "2026-02-01T00:00:00.000Z",
};

test("renders the full packument", () => {
  expect(JSON.parse(renderPackument(npmPackage, base))).toEqual({
    _id: "@acme/demo",
    _rev: expect.stringMatching(/^7-[0-9a-f]{32}$/),
    name: "@acme/demo",
    "dist-tags": { latest: "1.0.0", next: "2.0.0-rc.1" },
    versions: {
      "1.0.0": { name: "@acme/demo", description: "first", license: "MIT", dist },
      "2.0.0-rc.1": {
        name: "@acme/demo",
        description: "second",
        dist: { ...dist, tarball: `${base}/@acme/demo/-/demo-2.0.0-rc.1.tgz` },
        deprecated: "no",
      },
    },
    time,
    description: "first",
    license: "MIT",
    readme: "# Demo",
    readmeFilename: "README.md",
  });
});

test("renders the abbreviated packument, with the times that installers hold back by", () => {
  expect(JSON.parse(renderAbbreviatedPackument(npmPackage, base))).toEqual({
    name: "@acme/demo",
    modified: "2026-03-01T00:00:00.000Z",
    "dist-tags": { latest: "1.0.0", next: "2.0.0-rc.1" },
    versions: {
      "1.0.0": { name: "short", dist },
      "2.0.0-rc.1": {
        name: "short",
        dist: { ...dist, tarball: `${base}/@acme/demo/-/demo-2.0.0-rc.1.tgz` },
        deprecated: "no",
      },
    },
    time,
  });
});

test.each([
  ["1.0.0", "first"],
  ["latest", "first"],
  ["next", "second"],
  ["v1.0.0", "first"],
])("renders the manifest of %s", (versionOrTag, description) => {
  expect(JSON.parse(renderVersion(npmPackage, versionOrTag, base) ?? "")).toMatchObject({
    description,
  });
});

test.each(["3.0.0", "unknown", "constructor", "toString"])("has no version %s", (versionOrTag) => {
  expect(renderVersion(npmPackage, versionOrTag, base)).toBeUndefined();
});

test("renders the dist-tags alone", () => {
  expect(JSON.parse(renderDistTags(npmPackage))).toEqual(npmPackage.distTags);
});

test("keeps a package readable whose last tag was lost", () => {
  const untagged = JSON.parse(renderPackument({ ...npmPackage, distTags: {} }, base)) as object;
  expect(untagged).toMatchObject({ description: "second", "dist-tags": {} });
});

test("gives every revision another name", () => {
  expect(revisionOf(npmPackage)).toBe(revisionOf({ ...npmPackage }));
  expect(revisionOf(npmPackage)).not.toBe(revisionOf({ ...npmPackage, revision: 8 }));
});

test("puts a tarball where clients compute it to be", () => {
  expect(tarballAddress("demo", "1.0.0", base)).toBe(`${base}/demo/-/demo-1.0.0.tgz`);
});

function version(text: string, manifest: string): NpmVersion {
  return {
    version: text,
    manifest,
    abbreviated: '{"name":"short"}',
    integrity: "sha512-x",
    shasum: "ab",
    fileCount: 2,
    unpackedSize: 10,
    publishedAt: new Date("2026-02-01T00:00:00Z"),
  };
}
