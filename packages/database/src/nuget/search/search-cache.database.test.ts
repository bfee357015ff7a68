import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { parseSearchQuery } from "@sealhouse/nuget-protocol";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../../testing/index.ts";
import { composeStatement } from "../../statements/statement.ts";
import { cacheSearches } from "./search-cache.ts";
import type { Count } from "../../search/count.ts";

const QUERY = parseSearchQuery(new URLSearchParams("q=acme"));
const ALL = composeStatement((db) =>
  db.selectFrom("nuget_packages").select(({ fn }) => fn.countAll<number>().as("total")),
);
const NOTHING = { totalHits: 0, hits: [] } as const;

function counting(answer: () => Promise<typeof NOTHING>) {
  let [searchCount, counted, state] = [0, 0, 1];
  const context = {
    type: "Sqlite",
    port: { versions: { current: () => state, earlier: () => state } },
    queries: { one: async () => ({ total: (counted += 1) }) as never },
  } as const;
  const searchCounting = (count: Count) => ({
    search: async () => {
      searchCount += 1;
      await count(ALL);
      return answer();
    },
    idsStartingWith: async () => ({ totalHits: 0, ids: [] }),
    dependents: async () => ({ totalHits: 0, packages: [] }),
  });
  const cached = cacheSearches(searchCounting, context, 10_000);
  return {
    cached,
    asked: () => searchCount,
    counted: () => counted,
    write: () => (state += 1),
  };
}

test("runs equal searches once until a write", async () => {
  const { cached, asked, write } = counting(async () => NOTHING);
  await Promise.all([cached.search(QUERY), cached.search(QUERY)]);
  await cached.search(QUERY);
  expect(asked()).toBe(1);
  await cached.search({ ...QUERY, skip: 1 });
  expect(asked()).toBe(2);
  write();
  await cached.search(QUERY);
  expect(asked()).toBe(3);
});

test("counts once for all pages of a search until a write", async () => {
  const { cached, counted, write } = counting(async () => NOTHING);
  for (const skip of [0, 20, 40]) await cached.search({ ...QUERY, skip });
  expect(counted()).toBe(1);
  write();
  await cached.search({ ...QUERY, skip: 60 });
  expect(counted()).toBe(2);
});

test("does not cache a failed search", async () => {
  let fails = true;
  const { cached, asked } = counting(() =>
    fails ? Promise.reject(new Error("away")) : Promise.resolve(NOTHING),
  );
  await expect(cached.search(QUERY)).rejects.toThrow("away");
  fails = false;
  expect(await cached.search(QUERY)).toEqual(NOTHING);
  expect(asked()).toBe(2);
});

test("limits the size of the cache", async () => {
  const { cached, asked } = counting(async () => NOTHING);
  const queries = Array.from({ length: 100 }, (_, skip) => ({ ...QUERY, skip }));
  for (const query of queries) await cached.search(query);
  await cached.search({ ...QUERY, skip: 99 });
  expect(asked()).toBe(100);
  await cached.search({ ...QUERY, skip: 0 });
  expect(asked()).toBe(101);
});

describe.each(testableDatabases())("%s", (type) => {
  test("a repeated search finds newly published packages", async () => {
    await using database = await openTestDatabase({ type });
    const { recorder, search } = database.nuget;
    for (let minor = 0; minor < 5; minor += 1) {
      const result = await search.search(QUERY);
      expect(result.hits[0]?.versions.length ?? 0).toBe(minor);
      expect(await search.search(QUERY)).toEqual(result);
      await recorder.record(newPackage({ id: "Acme", version: `1.${minor}.0` }), testCaller);
    }
    await database.downloads.add([{ protocol: "nuget", name: "acme", version: "1.4.0", count: 7 }]);
    const [hit] = (await search.search(QUERY)).hits;
    expect(hit?.versions.at(-1)?.downloads).toBe(7);
  });
});

afterAll(leaveTestServers);
