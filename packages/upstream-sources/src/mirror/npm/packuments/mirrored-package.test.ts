import { renderAbbreviatedPackument, renderPackument } from "@sealhouse/npm-protocol";
import { parsePackument } from "@sealhouse/npm-protocol/client";
import { expect, test } from "vitest";
import { mirroredPackage } from "./mirrored-package.ts";

const PUBLISHED = "2020-01-02T03:04:05.000Z";
const UNPUBLISHED = { time: PUBLISHED, versions: ["0.9.0"] };

function shownOf(fields: object, dist: object = { shasum: "ab" }) {
  const versions = Object.fromEntries(
    ["1.0.0", "1.1.0", "2.0.0-rc.1"].map((version) => {
      const tarball = `https://registry.example/demo/-/demo-${version}.tgz`;
      return [version, { name: "demo", version, dist: { tarball, ...dist } }];
    }),
  );
  const remote = parsePackument({ name: "demo", versions, ...fields }, "demo");
  if (!remote) throw new Error("no packument");
  const mirrored = mirroredPackage(remote, undefined, new Date(PUBLISHED));
  return [renderPackument, renderAbbreviatedPackument].map(
    (render) => JSON.parse(render(mirrored, "https://mirror.example/npm")) as unknown,
  );
}

test.each<[string, object, string]>([
  ["no dist-tags", {}, "1.1.0"],
  ["an empty map of dist-tags", { "dist-tags": {} }, "1.1.0"],
  ["a latest that does not exist", { "dist-tags": { latest: "3.0.0" } }, "1.1.0"],
  ["a latest of its own", { "dist-tags": { latest: "1.0.0" } }, "1.0.0"],
])("a mirrored package of a source with %s has latest", (_, fields, latest) => {
  for (const shown of shownOf(fields)) expect(shown).toMatchObject({ "dist-tags": { latest } });
});

test("a mirror keeps the times of versions that the source unpublished", () => {
  const time = { "0.9.0": PUBLISHED, "1.0.0": PUBLISHED, unpublished: UNPUBLISHED };
  for (const shown of shownOf({ time })) expect(shown).toMatchObject({ time });
});

test("a mirror keeps the old signature of npm, and writes no empty hash", () => {
  const dist = { integrity: "sha512-x", "npm-signature": "-----BEGIN PGP SIGNATURE-----" };
  for (const shown of shownOf({}, dist)) {
    expect(shown).toMatchObject({ versions: { "1.0.0": { dist } } });
    expect(shown).not.toHaveProperty(["versions", "1.0.0", "dist", "shasum"]);
  }
  for (const shown of shownOf({}, { shasum: "AB", integrity: "" })) {
    expect(shown).toMatchObject({ versions: { "1.0.0": { dist: { shasum: "ab" } } } });
    expect(shown).not.toHaveProperty(["versions", "1.0.0", "dist", "integrity"]);
  }
});
