import type { NpmSearchHit } from "@sealhouse/npm-protocol";
import type { FoundPackage, NpmClient } from "@sealhouse/npm-protocol/client";
import { expect, test } from "vitest";
import type { PackageSource } from "../../sources/package-source.ts";
import { memoryParts, testSource } from "../../testing/memory-parts.ts";
import { openMirror } from "../mirror.ts";
import { mirroredSearch } from "./mirrored-search.ts";
import type { MirroredSearchParts } from "./mirrored-search.ts";

const foundAs = (name: string, version = "1.0.0"): FoundPackage => ({
  name,
  version,
  description: `${name} of a source`,
  keywords: [],
  publishedAt: new Date("2020-02-03T04:05:06Z"),
  maintainers: [],
  manifest: { name, version },
});

const hitAs = (name: string): NpmSearchHit => ({
  name,
  version: "7.0.0",
  description: "",
  keywords: [],
  publishedAt: new Date(0),
  manifest: "{}",
  dependents: 0,
});

type Search = (text: string, from: number, size: number) => Promise<readonly FoundPackage[]>;
type Options = Partial<Omit<MirroredSearchParts, "mirror" | "clientOf">> & {
  readonly own?: readonly string[];
  readonly local?: readonly string[];
  readonly isOffline?: boolean;
};

/** A search whose sources answer with functions; by name of the source. */
function openSearch(
  sources: readonly PackageSource[],
  answers: Readonly<Record<string, Search>>,
  { own = [], local = [], isOffline = false, ...options }: Options = {},
) {
  const mirror = openMirror(memoryParts({ sources, own, isOffline }));
  const clientOf = ({ name }: PackageSource) =>
    ({
      search: async ({ text, from = 0, size = 20 }) => {
        const packages = (await answers[name]?.(text, from, size)) ?? [];
        return { total: packages.length, packages };
      },
    }) as Pick<NpmClient, "search"> as NpmClient;
  const here = local.map(hitAs);
  const search = mirroredSearch(
    { search: async ({ from, size }) => ({ total: here.length, hits: here.slice(from, size) }) },
    {
      mirror,
      clientOf,
      allowHit: async (hit) => hit,
      timeoutMs: 200,
      mergeStrategy: "LocalPreferred",
      ...options,
    },
  );
  return async (query: Partial<Parameters<typeof search.search>[0]> = {}) => {
    const { total, hits } = await search.search({ text: "pad", from: 0, size: 20, ...query });
    return { total, names: hits.map(({ name }) => name), hits };
  };
}

const source = (name: string, settings: Partial<PackageSource["settings"]> = {}) =>
  testSource("npm", new URL(`https://${name}.example`), { name, settings });
const paged =
  (...names: readonly string[]): Search =>
  async (_, from, size) =>
    names.slice(from, from + size).map((name) => foundAs(name));

test.each([
  ["LocalPreferred", ["own", "both", "far", "other"]],
  ["Deduplicate", ["own", "both", "other", "far"]],
  ["Union", ["own", "both", "other", "both", "far"]],
] as const)("%s merges the hits of all sources into %j", async (mergeStrategy, expected) => {
  const search = openSearch(
    [source("one"), source("two")],
    { one: paged("both", "far"), two: paged("other") },
    { local: ["own", "both"], mergeStrategy },
  );
  expect(await search()).toMatchObject({ total: expected.length, names: expected });
});

test("a search shows no name of a source that would not come from there", async () => {
  const names = ["own", "@acme/closed", "../x", "for-two", "open"];
  const search = openSearch(
    [source("one", { deny: ["@acme/*"] }), source("two", { allow: ["for-*", "two-*"] })],
    { one: paged(...names), two: paged("open", "two-pad", "for-two") },
    { own: ["npm/own"] },
  );
  expect((await search()).names).toEqual(["open", "two-pad", "for-two"]);
});

test("pages have no gaps where hits of a source are left out", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `pad-${index}`);
  const own = names.slice(0, 45);
  const search = openSearch(
    [source("one")],
    { one: paged(...names) },
    { own: own.map((name) => `npm/${name}`) },
  );
  const pages = [0, 5, 10].map((from) => search({ from, size: 5 }));
  const shown = (await Promise.all(pages)).flatMap((page) => page.names);
  expect(shown).toEqual(names.slice(45));
});

test("a registry that repeats its first page ends the search", async () => {
  const all = Array.from({ length: 20 }, (_, index) => foundAs(`pad-${index}`));
  const search = openSearch([source("one")], { one: async () => all });
  expect((await search({ from: 10, size: 100 })).names).toHaveLength(10);
});

test("conditions that a registry may not know apply to its hits, too", async () => {
  const all = [foundAs("@acme/a"), foundAs("@acme/b", "0.1.0"), foundAs("c"), foundAs("d", "x")];
  const texts: string[] = [];
  const answer: Search = async (text) => {
    texts.push(text);
    return all;
  };
  const search = openSearch([source("one")], { one: answer });
  const cases = [
    [{ text: "x", scope: "@acme" }, ["@acme/a", "@acme/b"]],
    [{ without: ["unstable"] }, ["@acme/a", "c"]],
    [{ only: ["unstable"] }, ["@acme/b"]],
    [{ names: ["@acme/*"], keywords: [["k"]] }, ["@acme/a", "@acme/b"]],
    // Registries refuse it.
    [{ text: "" }, []],
  ] as const;
  for (const [query, expected] of cases) expect((await search(query)).names).toEqual(expected);
  expect(texts).toEqual(["x scope:acme", "pad not:unstable", "pad is:unstable", "pad keywords:k"]);
});

test.each([
  ["is silent", () => new Promise<never>(() => undefined), {}],
  ["fails", () => Promise.reject(new Error("no")), {}],
  [
    "has hits that nobody can judge in time",
    paged("slow"),
    { allowHit: () => new Promise<never>(() => undefined) },
  ],
  ["may not be asked", paged("far"), { isOffline: true }],
] as const)("a source that %s leaves the other hits", async (_, answer, options) => {
  const search = openSearch([source("one")], { one: answer }, { local: ["own"], ...options });
  expect(await search()).toMatchObject({ total: 1, names: ["own"] });
});
