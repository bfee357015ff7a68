import type { PackagePast, PackageRecord } from "@sealhouse/nuget-protocol";
import { expect, test } from "vitest";
import { testSource } from "../../testing/memory-parts.ts";
import { openScriptedFeed } from "../../testing/scripted-feed.ts";
import { openMirrorFeed } from "./mirror-feed.test.support.ts";
import { mirroredPast } from "./mirrored-past.ts";
import type { FromSource } from "./documents/package-documents.ts";

const day = (number: number) => new Date(Date.UTC(2026, 0, number));

const own: PackagePast = {
  versions: async () => [{ version: "9.0.0", listed: true, isKept: true }],
  version: async (_id, version) => (version === "9.0.0" ? { isKept: false } : undefined),
  kept: async () => [],
  beginning: async () => day(5),
};

const record = (version: string, publishedAt: Date, listed = true) =>
  ({ version, publishedAt, listed }) as PackageRecord;

function pastWith(records: readonly PackageRecord[] | undefined, hasSources = true) {
  const found = records
    ? ({ status: "found", value: records } as FromSource<readonly PackageRecord[]>)
    : ({ status: "local" } as const);
  return mirroredPast(own, {
    records: async () => found,
    kept: async () => [],
    hasSources: async () => hasSources,
  });
}

test("versions of a source count from their publication there", async () => {
  const past = pastWith([record("1.0.0-RC", day(1), false), record("1.0.0", day(3))]);
  expect(await past.versions("demo", day(2))).toEqual([
    { version: "1.0.0-rc", listed: false, isKept: true },
  ]);
  expect(await past.versions("demo", day(3))).toHaveLength(2);
  expect(await past.version("demo", "1.0.0", day(2))).toBeUndefined();
  expect(await past.version("demo", "1.0.0", day(3))).toEqual({ isKept: true });
});

test("the history answers for stored versions and for the packages of this feed", async () => {
  expect(await pastWith([]).version("demo", "9.0.0", day(1))).toEqual({ isKept: false });
  expect(await pastWith(undefined).versions("own", day(1))).toMatchObject([{ version: "9.0.0" }]);
  expect(await pastWith(undefined).version("own", "1.0.0", day(1))).toBeUndefined();
});

test.each([
  [true, new Date(0)],
  [false, day(5)],
])("with sources: %s, the history begins at %s", async (hasSources, beginning) => {
  expect(await pastWith(undefined, hasSources).beginning(day(9))).toEqual(beginning);
});

test("a view serves the versions that a source had at its time", async () => {
  await using upstream = await openScriptedFeed(["content", "registration"]);
  upstream.put("Acme.Widgets", "1.0.0", { published: "2020-01-01T00:00:00Z" });
  upstream.put("Acme.Widgets", "2.0.0", { published: "2022-01-01T00:00:00Z" });
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  const view = "/@2021-01-01T00:00Z/v3/package/acme.widgets";
  expect(await feed.json(`${view}/index.json`)).toEqual({ versions: ["1.0.0"] });
  const statuses = ["1.0.0", "2.0.0"].map(async (version) => {
    const file = await feed.get(`${view}/${version}/acme.widgets.${version}.nupkg`);
    await file.arrayBuffer();
    return file.status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 404]);
});
