import { expect, test } from "vitest";
import { newVersion, storedFormOf } from "../testing/contract-fixtures.ts";
import type { NpmPackage } from "../ports.ts";
import { installablePackage } from "./installable-package.ts";
import { renderAbbreviatedPackument, renderPackument, revisionOf } from "./packument.ts";

const BASE = "https://registry.test/npm";

/** A package with these versions, a damaged one with an exclamation mark, and these tags. */
function packageWith(versions: readonly string[], distTags: NpmPackage["distTags"]): NpmPackage {
  return {
    name: "demo",
    revision: 3,
    createdAt: new Date(0),
    modifiedAt: new Date(1),
    distTags,
    versions: versions.map((text) => ({
      ...storedFormOf(newVersion({ version: text.replace("!", "") })),
      ...(text.endsWith("!") && { isDamaged: true }),
    })),
  };
}

test.each([
  [["1.0.0", "2.0.0"], { latest: "2.0.0", old: "1.0.0" }, { latest: "2.0.0", old: "1.0.0" }],
  [["1.0.0", "2.0.0!"], { latest: "2.0.0", next: "2.0.0" }, { latest: "1.0.0" }],
  [["1.0.0!", "2.0.0"], { latest: "2.0.0", old: "1.0.0" }, { latest: "2.0.0" }],
  [["1.1.0", "1.0.0", "2.0.0-rc", "3.0.0!"], { latest: "3.0.0" }, { latest: "1.1.0" }],
  [["2.0.0-rc", "3.0.0!"], { latest: "3.0.0" }, { latest: "2.0.0-rc" }],
  [["1.0.0!"], { latest: "1.0.0", beta: "1.0.0" }, {}],
])("of %j with the tags %j it shows the tags %j", (versions, distTags, expected) => {
  const found = packageWith(versions, distTags);
  const shown = installablePackage(found);
  const sound = versions.filter((text) => !text.endsWith("!"));
  expect(shown.distTags).toEqual(expected);
  expect(shown.versions.map(({ version }) => version)).toEqual(sound);
  for (const render of [renderPackument, renderAbbreviatedPackument]) {
    const document = JSON.parse(render(shown, BASE)) as Record<string, object>;
    expect(document["dist-tags"]).toEqual(expected);
    expect(Object.keys(document["versions"] ?? {})).toEqual(sound);
    expect(Object.keys(document["time"] ?? {})).toEqual(["created", "modified", ...sound]);
    expect(document).not.toHaveProperty("omitted");
  }
});

test("the revision depends on the versions that a document omits", () => {
  const tags = { latest: "2.0.0" };
  const revisions = [
    ["1.0.0", "2.0.0"],
    ["1.0.0!", "2.0.0"],
    ["1.0.0", "2.0.0!"],
  ].map((versions) => revisionOf(installablePackage(packageWith(versions, tags))));
  expect(new Set(revisions).size).toBe(3);
  expect(revisions[0]).toBe(revisionOf(packageWith(["1.0.0!", "2.0.0"], tags)));
});
