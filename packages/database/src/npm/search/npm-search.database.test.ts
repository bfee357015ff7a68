import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openTestParts } from "../../testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "../../testing/index.ts";
import { createNpmSearch } from "./npm-search.ts";
import type { LimitedFilter, NpmSearchEffort } from "./search-pages.ts";
import { wordMatch } from "./word-match.ts";

const ALICE = { actor: "alice" };
const FIELDS = [
  { name: "pad", description: "Pads text" },
  { name: "left-pad", description: "the a of", keywords: ["string", "left pad"] },
  { name: "@acme/padding", description: "日本 café", keywords: ["String"] },
  { name: "@acme/express", version: "0.1.0", keywords: ["web"] },
  { name: "expressive", version: "2.0.0-rc.1", description: "express pad" },
  { name: "Pad", description: "an old name" },
  { name: "webpack", description: "packs text for the web", keywords: ["50%", "web"] },
];
const FILTERS: readonly LimitedFilter[] = [
  ..."pad,PAD,p,ad,express,pressive,left-pad,pad text,nowhere,日,cafe,the,- %,a".split(","),
  "",
].map((text) => ({ text }));
const NARROWED: readonly LimitedFilter[] = [
  { text: "pad", boostExact: false },
  { text: "", keywords: [["string"]] },
  {
    text: "",
    keywords: [
      ["50%", "left pad"],
      ["web", "string"],
    ],
  },
  { text: "pad", scope: "@acme" },
  { text: "", without: ["unstable"] },
  { text: "e", only: ["unstable"], without: ["deprecated"] },
  { text: "", maintainers: ["alice"] },
  { text: "pad", names: ["*"] },
  { text: "", names: ["@acme/*"], hidden: { isSignedIn: false, owners: [], has: () => false } },
];
/** Everything at once, rank after rank, and by name. */
const AT_ONCE: NpmSearchEffort = { few: 1e6, fewWithWords: 1e6, walk: 1, walkNames: 1 };
const EFFORTS: readonly NpmSearchEffort[] = [
  AT_ONCE,
  { few: 1, fewWithWords: 1, walk: 1, walkNames: 1 },
  { few: 1, fewWithWords: 1, walk: 1e6, walkNames: 1e6 },
  { few: 3, fewWithWords: 2, walk: 4, walkNames: 5 },
];

describe.each(testableDatabases())("%s", (type) => {
  test("finds the same pages in the same order with every query plan", async () => {
    await using parts = await openTestParts(type);
    const { npm, visibilities } = parts.database;
    const context = { type, port: {}, queries: parts.connections.queries } as const;
    for (const fields of FIELDS) await npm.recorder.publish(newNpmVersion(fields), ALICE);
    await visibilities.set("npm", "@acme/padding", { visibility: "private", by: ALICE });
    const like = createNpmSearch(context, { effort: AT_ONCE, match: wordMatch("like") });
    for (const filter of [...FILTERS, ...NARROWED]) {
      const all = await like.search({ ...filter, from: 0, size: 50 });
      for (const effort of EFFORTS) {
        const search = createNpmSearch(context, { effort });
        for (let from = 0; from <= all.total; from += 2) {
          const page = await search.search({ ...filter, from, size: 2 });
          const expected = { total: all.total, hits: all.hits.slice(from, from + 2) };
          expect([filter, from, page]).toEqual([filter, from, expected]);
        }
      }
    }
    const names = async (text: string) =>
      (await npm.search.search({ text, from: 0, size: 9 })).hits.map(({ name }) => name);
    expect(await names("PAD")).toEqual(["pad", "@acme/padding", "Pad", "left-pad", "expressive"]);
    expect(await names("日")).toEqual(["@acme/padding"]);
    expect(await names("- %")).toEqual([]);
  });

  test("follows `latest`, and adds what an instance without the index published", async () => {
    await using parts = await openTestParts(type);
    const { npm } = parts.database;
    const totalOf = async (text: string) =>
      (await npm.search.search({ text, from: 0, size: 0 })).total;
    const publish = (version: string, description: string) =>
      npm.recorder.publish(newNpmVersion({ name: "pad", version, description }), ALICE);
    await publish("1.0.0", "first");
    await publish("2.0.0", "second");
    expect([await totalOf("first"), await totalOf("second")]).toEqual([0, 1]);
    await npm.recorder.setTag("pad", { tag: "latest", version: "1.0.0" }, ALICE);
    expect([await totalOf("first"), await totalOf("second")]).toEqual([1, 0]);

    await parts.connections.port.run({ sql: "delete from npm_search_entries" }, []);
    expect(await totalOf("pad")).toBe(0);
    const last = await npm.fillSearch(0, AbortSignal.timeout(60_000));
    expect([await totalOf("first"), await npm.fillSearch(last, AbortSignal.timeout(1))]).toEqual([
      1,
      last,
    ]);
    const revision = (await npm.lookup.find("pad"))?.revision ?? -1;
    await npm.lifecycle.unpublish("pad", { versions: "all", revision }, ALICE);
    expect(await totalOf("")).toBe(0);
  });
});

afterAll(leaveTestServers);
