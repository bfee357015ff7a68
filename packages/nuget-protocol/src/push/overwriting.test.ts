import { expect, test } from "vitest";
import type { NuGetAppOptions } from "../app.ts";
import type { SealOutcome } from "../ports.ts";
import type { Seal } from "../stored-package.ts";
import { buildNupkg } from "../testing/build-nupkg.ts";
import type { TestFeed } from "../testing/test-feed.ts";
import { createTestFeed } from "../testing/test-feed.ts";

const FILE = "/v3/package/acme/1.0.0/acme.1.0.0.nupkg";
const REGISTRATION = "/v3/registration/acme/index.json";

function build(content: string, version = "1.0.0", metadata = ""): Uint8Array {
  return buildNupkg({ id: "Acme", version, metadata, files: { "lib/a.txt": content } });
}

const CASES: readonly (readonly [NuGetAppOptions["overwrites"], string, number])[] = [
  [undefined, "1.0.0", 409],
  [undefined, "1.0.0-beta", 409],
  ["never", "1.0.0-beta", 409],
  ["prerelease", "1.0.0", 409],
  ["prerelease", "1.0.0-beta", 201],
  ["always", "1.0.0", 201],
  ["always", "1.0.0-beta", 201],
];

test.each(CASES)(
  "with overwrites %s, a second %s is answered %i",
  async (rule, version, status) => {
    const feed = createTestFeed({}, rule ? { overwrites: rule } : {});
    expect((await feed.push(build("one", version))).status).toBe(201);
    const again = await feed.push(build("two", version));
    expect(again.status).toBe(status);
    const words = status === 201 ? /was overwritten/ : /is in this feed and cannot be replaced/;
    expect(again.headers.get("x-nuget-warning")).toMatch(words);
    expect(feed.openStages()).toBe(0);
  },
);

test("serves the new bytes with a new ETag, and renders documents again", async () => {
  const feed = createTestFeed({}, { overwrites: "always" });
  const first = build("one", "1.0", "<title>Old</title>");
  const second = build("two", "1.0.0.0", "<title>New</title>");
  await feed.push(first);
  const before = await feed.get(FILE);
  const oldEtag = before.headers.get("etag") ?? "";
  expect((await feed.get(FILE, { "if-none-match": oldEtag })).status).toBe(304);
  expect(await feed.json(REGISTRATION)).toMatchObject({
    items: [{ items: [{ catalogEntry: { title: "Old" } }] }],
  });
  expect(feed.documents.keys()).not.toEqual([]);

  expect((await feed.push(second)).status).toBe(201);
  expect(feed.documents.keys()).toEqual([]);
  const after = await feed.get(FILE, { "if-none-match": oldEtag });
  expect(after.status).toBe(200);
  expect(after.headers.get("etag")).not.toBe(oldEtag);
  expect(Buffer.from(await after.arrayBuffer()).equals(second)).toBe(true);
  expect(await feed.json(REGISTRATION)).toMatchObject({
    count: 1,
    items: [{ count: 1, items: [{ catalogEntry: { title: "New" } }] }],
  });
});

test("replaces the signature by that of the new bytes, or removes it", async () => {
  const sealOf = (byte: number): Seal => ({
    plan: Uint8Array.of(byte),
    fingerprint: "ab".repeat(32),
    size: 1000 + byte,
    signedAt: new Date("2026-01-02T03:04:05Z"),
  });
  const outcomes: SealOutcome[] = [
    { status: "sealed", seal: sealOf(1) },
    { status: "sealed", seal: sealOf(2) },
    { status: "unsealed", warning: "not signed: key lost" },
  ];
  const sealer = { seal: async () => outcomes.shift() ?? { status: "unsealed" as const } };
  const feed = createTestFeed({ sealer }, { overwrites: "always" });
  const sealed = async () => (await feed.ports.lookup.find("acme", "1.0.0"))?.seal?.size;
  const seen: unknown[] = [];
  for (const content of ["one", "two", "three"]) {
    expect((await feed.push(build(content))).status).toBe(201);
    seen.push(await sealed());
  }
  expect(seen).toEqual([1001, 1002, undefined]);
});

test("keeps the existing version when its replacement is refused", async () => {
  const feed = createTestFeed({}, { overwrites: "always" });
  const first = build("one");
  await feed.push(first);
  const broken = buildNupkg({ id: "Acme", version: "1.0.0", metadata: "<icon>i.png</icon>" });
  expect((await feed.push(broken)).status).toBe(400);
  const served = await feed.get(FILE);
  expect(Buffer.from(await served.arrayBuffer()).equals(first)).toBe(true);
});

test("deletes for good where that is what deleting means, and shows nothing of it", async () => {
  const feed = createTestFeed({}, { deletion: "delete" });
  await feed.push(build("one"));
  await feed.push(build("two", "2.0.0"));
  expect(await remove(feed, "ACME/1.0")).toBe(204);
  expect(await remove(feed, "acme/1.0.0")).toBe(404);
  for (const path of ["acme/9.9.9", "acme/x", "a..b/1.0.0"])
    expect(await remove(feed, path)).toBe(404);
  expect((await feed.get(FILE)).status).toBe(404);
  expect(await feed.json("/v3/package/acme/index.json")).toEqual({ versions: ["2.0.0"] });
  expect(await feed.json(REGISTRATION)).toMatchObject({ items: [{ count: 1 }] });
  const relisted = await feed.app.request("/api/v2/package/acme/1.0.0", { method: "POST" });
  expect(relisted.status).toBe(404);
});

test.each(["never", "always"] as const)(
  "refuses a deleted number with overwrites %s, says when it went and what to do",
  async (overwrites) => {
    const feed = createTestFeed({}, { deletion: "delete", overwrites });
    await feed.push(build("one"));
    await remove(feed, "acme/1.0.0");
    const keptCount = feed.storedFiles.size;
    const again = await feed.push(build("other"));
    expect(again.status).toBe(409);
    const day = new Date().toISOString().slice(0, 10);
    const warning = again.headers.get("x-nuget-warning") ?? "";
    expect(warning).toContain(`Acme 1.0.0 was deleted on ${day}`);
    expect(warning).toContain("sealhouse package allow-reuse Acme 1.0.0");
    expect(await again.json()).toMatchObject({ title: "This version was deleted", status: 409 });
    expect([feed.storedFiles.size, feed.openStages()]).toEqual([keptCount, 0]);

    const allowed = await feed.app.request("/api/v2/package/Acme/1.0/tombstone", {
      method: "DELETE",
    });
    expect(allowed.status).toBe(204);
    expect((await feed.push(build("other"))).status).toBe(201);
  },
);

async function remove(feed: TestFeed, path: string): Promise<number> {
  return (await feed.app.request(`/api/v2/package/${path}`, { method: "DELETE" })).status;
}
