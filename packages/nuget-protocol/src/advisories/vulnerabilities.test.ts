import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createMemoryCatalog } from "../testing/memory-catalog.ts";
import { createTestFeed } from "../testing/test-feed.ts";
import type { NewAdvisory } from "./ports.ts";

const knownAdvisory: NewAdvisory = {
  id: "Acme.Json",
  severity: 2,
  url: "https://github.com/advisories/GHSA-5crp-9r3c-p9vr",
  versions: "(, 13.0.1)",
  advisoryId: "GHSA-5crp-9r3c-p9vr",
};

function createFeed() {
  const catalog = createMemoryCatalog();
  const { advisories, documents } = catalog;
  return { ...createTestFeed(catalog), advisories, documents };
}

test("has no vulnerability resource without any data", async () => {
  const feed = createFeed();
  for (const file of ["index", "base", "update", "other"]) {
    expect((await feed.get(`/v3/vulnerabilities/${file}.json`)).status).toBe(404);
  }
});

test("serves an index of two pages, with absolute links", async () => {
  const feed = createFeed();
  await feed.advisories.replace("one", [knownAdvisory]);
  const answer = await feed.get("/v3/vulnerabilities/index.json");
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("cache-control")).toBe("no-cache");
  expect(await answer.json()).toEqual([
    {
      "@name": "base",
      "@id": "https://feed.example/v3/vulnerabilities/base.json",
      "@updated": expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      comment: expect.any(String),
    },
    expect.objectContaining({ "@name": "update" }),
  ]);
});

test("serves lower-cased ids, whole numbers, and an object even when empty", async () => {
  const feed = createFeed();
  await feed.advisories.replace("one", [knownAdvisory]);
  expect(await feed.json("/v3/vulnerabilities/base.json")).toEqual({
    "acme.json": [{ severity: 2, url: knownAdvisory.url, versions: "(, 13.0.1)" }],
  });
  const update = await feed.get("/v3/vulnerabilities/update.json");
  expect(await update.text()).toBe("{}");
});

test("shows a change at once, although pages are kept", async () => {
  const feed = createFeed();
  await feed.advisories.replace("one", [knownAdvisory]);
  const tags = async () =>
    Promise.all(
      ["index", "base", "update"].map(async (file) => {
        const answer = await feed.get(`/v3/vulnerabilities/${file}.json`);
        return answer.headers.get("etag") ?? "";
      }),
    );
  const before = await tags();
  expect(await tags()).toEqual(before);
  expect(feed.documents.keys()).toContain("nuget-vulnerabilities/1/base");
  await feed.advisories.replace("one", [knownAdvisory, { ...knownAdvisory, id: "acme.xml" }]);
  const after = await tags();
  expect(after[0]).not.toBe(before[0]);
  expect(after[1]).toBe(before[1]);
  expect(after[2]).not.toBe(before[2]);
  const headers = { "if-none-match": after[2] ?? "" };
  expect((await feed.get("/v3/vulnerabilities/update.json", headers)).status).toBe(304);
});

test("compresses large pages", async () => {
  const feed = createFeed();
  const many = Array.from({ length: 300 }, (_, index) => ({
    ...knownAdvisory,
    id: `acme.part${index}`,
  }));
  await feed.advisories.replace("one", many);
  const headers = { "accept-encoding": "gzip" };
  const answer = await feed.get("/v3/vulnerabilities/base.json", headers);
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  const text = gunzipSync(await answer.arrayBuffer()).toString();
  expect(Object.keys(JSON.parse(text) as object)).toHaveLength(300);
});

test("needs the right to read, as the rest of the feed", async () => {
  const feed = createTestFeed({ authorize: async () => ({ status: "anonymous" }) });
  for (const file of ["index", "base"]) {
    expect((await feed.get(`/v3/vulnerabilities/${file}.json`)).status).toBe(401);
  }
});
