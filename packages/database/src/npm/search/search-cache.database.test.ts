import type { NameLimit, OriginLimit } from "@sealhouse/npm-protocol";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { leaveTestServers, openTestDatabase, testableDatabases } from "../../testing/index.ts";
import { createNpmSearch } from "./npm-search.ts";

const ALICE = { actor: "alice" };

function watched(total: number) {
  const asked = { counts: 0, pages: 0 };
  let version = 1;
  const npm = createNpmSearch({
    type: "Sqlite",
    port: { versions: { current: () => version, earlier: () => version } },
    queries: {
      one: async () => {
        asked.counts += 1;
        return { total } as never;
      },
      all: async () => {
        asked.pages += 1;
        return [];
      },
    },
  });
  const search = (query: Parameters<typeof npm.search>[0]) => npm.search(query);
  return { search, asked, write: () => (version += 1) };
}

test("asks equal searches once until a write", async () => {
  const { search, asked, write } = watched(5);
  const query = { text: "pad", from: 0, size: 20 };
  await Promise.all([search(query), search(query)]);
  await search(query);
  expect(asked).toEqual({ counts: 1, pages: 1 });
  write();
  await search(query);
  expect(asked).toEqual({ counts: 2, pages: 2 });
});

test("counts once for all pages of a search", async () => {
  const { search, asked } = watched(50);
  for (const from of [0, 20, 40]) await search({ text: "pad", from, size: 20 });
  expect(asked).toEqual({ counts: 1, pages: 3 });
});

test("reads no page behind the last hit", async () => {
  const { search, asked } = watched(0);
  expect(await search({ text: "pad", from: 0, size: 20 })).toEqual({ total: 0, hits: [] });
  expect(asked.pages).toBe(0);
});

test("asks again for callers that see other names", async () => {
  const { search, asked } = watched(5);
  const query = { text: "pad", from: 0, size: 20 };
  const has = () => false;
  const limits: readonly (NameLimit & OriginLimit)[] = [
    {},
    { names: ["@acme/*"] },
    { hidden: { isSignedIn: false, owners: [], has } },
    { hidden: { isSignedIn: true, owners: [], has } },
    { hidden: { isSignedIn: true, owners: ["1"], has } },
    { ownOnly: true },
    { notFrom: ["npmjs"] },
  ];
  for (const limit of limits) await search({ ...query, ...limit });
  expect(asked).toEqual({ counts: limits.length, pages: limits.length });
});

describe.each(testableDatabases())("%s", (type) => {
  test("a repeated search finds newly published packages", async () => {
    await using database = await openTestDatabase({ type });
    const { recorder, search } = database.npm;
    const query = { text: "pad", from: 0, size: 20 };
    for (const [index, name] of ["a-pad", "b-pad", "c-pad"].entries()) {
      const before = await search.search(query);
      expect(before.total).toBe(index);
      expect(await search.search(query)).toEqual(before);
      await recorder.publish(newNpmVersion({ name }), ALICE);
    }
    expect((await search.search(query)).hits.map(({ name }) => name)).toEqual([
      "a-pad",
      "b-pad",
      "c-pad",
    ]);
  });
});

afterAll(leaveTestServers);
