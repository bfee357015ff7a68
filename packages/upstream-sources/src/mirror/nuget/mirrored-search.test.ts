import { expect, test } from "vitest";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { testSource } from "../../testing/memory-parts.ts";
import { openScriptedFeed } from "../../testing/scripted-feed.ts";
import { mergeHits } from "../search/merge-hits.ts";
import { openMirrorFeed } from "./mirror-feed.test.support.ts";
import type { MirrorFeed } from "./mirror-feed.test.support.ts";

const hitsOf = (...ids: readonly string[]) => ({
  totalHits: ids.length,
  hits: ids.map((id) => ({ id })),
});

test.each([
  ["LocalPreferred", ["a", "b", "c", "d"], 4],
  ["Deduplicate", ["a", "c", "b", "d"], 4],
  ["Union", ["a", "c", "b", "B", "d"], 5],
] as const)("%s merges the hits of this feed and of a source into %j", (strategy, ids, total) => {
  const merged = mergeHits(hitsOf("a", "b"), [hitsOf("c", "B", "d")], {
    strategy,
    keyOf: ({ id }) => id.toLowerCase(),
  });
  expect([merged.hits.map(({ id }) => id), merged.totalHits]).toEqual([ids, total]);
});

async function found(feed: MirrorFeed, query: string) {
  const answer = (await feed.json(`/v3/search?${query}`)) as {
    readonly totalHits: number;
    readonly data: readonly { readonly id: string; readonly description: string }[];
  };
  return { ids: answer.data.map(({ id }) => id), totalHits: answer.totalHits, data: answer.data };
}

async function publishHere(feed: MirrorFeed, id: string): Promise<void> {
  const body = Buffer.from(buildNupkg({ id, version: "1.0.0" }));
  expect((await feed.put(body)).status).toBe(201);
}

test("search shows the packages of sources after those of this feed, on all pages", async () => {
  await using upstream = await openScriptedFeed(["content", "registration", "search"]);
  for (const name of ["One", "Two", "Three", "Own"]) upstream.put(`Acme.${name}`, "2.0.0");
  const own = ["nuget/acme.own", "nuget/acme.here"];
  const source = testSource("nuget", upstream.url);
  await using feed = openMirrorFeed([source], { own, mergeStrategy: "LocalPreferred" });
  await publishHere(feed, "Acme.Own");
  await publishHere(feed, "Acme.Here");
  const all = ["Acme.Here", "Acme.Own", "Acme.One", "Acme.Two", "Acme.Three"];
  const pages = [0, 2, 4].map((skip) => found(feed, `q=acme&skip=${skip}&take=2`));
  expect((await Promise.all(pages)).flatMap(({ ids }) => ids)).toEqual(all);
  const { totalHits, data } = await found(feed, "q=acme");
  expect(totalHits).toBe(5);
  // The own package is described by this feed.
  expect(data.find(({ id }) => id === "Acme.Own")?.description).toBe("The package Acme.Own.");
  expect(JSON.stringify(data)).not.toContain(upstream.origin);
});

test("a source that is silent or fails does not delay or break a search", async () => {
  await using upstream = await openScriptedFeed(["content", "search"]);
  upstream.put("Acme.One", "1.0.0");
  const source = testSource("nuget", upstream.url);
  const own = ["nuget/acme.here"];
  await using feed = openMirrorFeed([source], { own, mergeStrategy: "Union" });
  await publishHere(feed, "Acme.Here");
  upstream.answer = (path) => path.startsWith("/search");
  expect((await found(feed, "q=acme")).ids).toEqual(["Acme.Here"]);
  upstream.answer = (_path, outgoing) => Boolean(outgoing.writeHead(200).end("<html>"));
  expect((await found(feed, "q=acme")).ids).toEqual(["Acme.Here"]);
});

test("a search asks sources only when that is set", async () => {
  await using upstream = await openScriptedFeed(["content", "search"]);
  upstream.put("Acme.One", "1.0.0");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  expect((await found(feed, "q=acme")).ids).toEqual([]);
  expect(upstream.requests).toEqual([]);
});
