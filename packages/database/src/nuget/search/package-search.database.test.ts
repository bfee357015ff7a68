import { parseSearchQuery } from "@sealhouse/nuget-protocol";
import type { SearchQuery } from "@sealhouse/nuget-protocol";
import { nugetSearchContract } from "@sealhouse/nuget-protocol/testing";
import { array, assert, asyncProperty, boolean, constantFrom, oneof, string } from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../open-database.ts";
import { closeConnections, openConnections } from "../../transactions/connections.ts";
import type { QueryPort } from "../../raw/query-port.ts";
import { fillCatalog } from "../../testing/fill-catalog.ts";
import { openTestParts } from "../../testing/open-test-parts.ts";
import { openTestPlace, leaveTestServers, testableDatabases } from "../../testing/index.ts";
import { createPackageSearch } from "./package-search.ts";
import type { SearchEffort } from "./ranked-search.ts";
import { searchDialect } from "./search-dialects.ts";

describe("without an index of words", () => {
  test.each(nugetSearchContract)("$name", async ({ run }) => {
    await using parts = await openTestParts("Sqlite");
    await using database = await openDatabase(parts.config);
    const search = createPackageSearch(parts.connections.queries, searchDialect("like"));
    await run({ ...database.nuget, search, documents: database.documents });
  });
});

/** Everything at once, everything in order of rank, and the most downloaded first. */
const AT_ONCE: SearchEffort = { rankedAtOnce: 1e6, few: 1e6, walk: 1 };
const EFFORTS: readonly SearchEffort[] = [
  AT_ONCE,
  { rankedAtOnce: 1, few: 1e6, walk: 1 },
  { rankedAtOnce: 1, few: 1, walk: 1e6 },
  { rankedAtOnce: 3, few: 5, walk: 40 },
];
const TEXTS = [
  ..."q= q=json q=contoso q=contoso.json q=c q=library q=ogging q=json+contoso q=zzz".split(" "),
  ..."q=fast+parsers q=json+tags:json q=id:json q=id:on+contoso q=owner:alice".split(" "),
  ..."q=contoso.history q=author:contoso+json q=json&framework=net472 q=&framework=net8.0".split(
    " ",
  ),
  ..."q=contoso&packageType=dependency q=json&prerelease=true&semVerLevel=2.0.0".split(" "),
];

describe.each(testableDatabases())("%s", (type) => {
  test("finds the same pages in the same order with every query plan", async () => {
    await using place = await openTestPlace(type);
    await fillCatalog(place.config, { ids: 300, versions: 600 });
    const connections = await openConnections(place.config);
    const like = createPackageSearch(connections.queries, searchDialect("like"), {
      effort: AT_ONCE,
    });
    for (const text of TEXTS) {
      const query = parseSearchQuery(new URLSearchParams(text));
      const all = await pagesOf(like, query, 1_000);
      expect(new Set(all).size, text).toBe(all.length);
      for (const effort of EFFORTS) {
        const search = createPackageSearch(connections.queries, searchDialect(type), { effort });
        expect(await pagesOf(search, query, 7), text).toEqual(all.slice(0, PAGES * 7));
      }
    }
    await closeConnections(connections);
  });

  test("finds the same packages as a full scan for any input", async () => {
    await using place = await openTestPlace(type);
    await fillCatalog(place.config, { ids: 60, versions: 120 });
    const connections = await openConnections(place.config);
    const search = createPackageSearch(connections.queries, searchDialect(type));
    const like = createPackageSearch(connections.queries, searchDialect("like"));
    const typed = constantFrom(
      ..."contoso Json .log ogging id: tags:json owner:bob \" * ( ' ^ 日".split(" "),
    );
    const text = oneof(
      string({ unit: "binary", maxLength: 40 }),
      array(typed, { maxLength: 4 }).map((parts) => parts.join(" ")),
      array(typed, { maxLength: 3 }).map((parts) => parts.join("")),
    );
    await assert(
      asyncProperty(text, boolean(), async (q, prerelease) => {
        const params = new URLSearchParams({ q, prerelease: String(prerelease) });
        const query = parseSearchQuery(params);
        expect(await search.search(query)).toEqual(await like.search(query));
      }),
      { numRuns: 60 },
    );
    await closeConnections(connections);
  });

  test("reads no more rows when packages have twice as many versions", async () => {
    await using place = await openTestPlace(type);
    await fillCatalog(place.config, { ids: 50, versions: 600 });
    const connections = await openConnections(place.config);
    const count = async (table: string) => rowsIn(connections.port, table);
    expect(await count("nuget_versions")).toBe(600);
    expect(await count("nuget_search_entries")).toBeLessThan(50 * 2);
    await closeConnections(connections);
  });
});

afterAll(leaveTestServers);

const PAGES = 5;

async function pagesOf(
  search: ReturnType<typeof createPackageSearch>,
  query: SearchQuery,
  take: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let page = 0; page < PAGES; page++) {
    const { totalHits, hits } = await search.search({ ...query, skip: page * take, take });
    ids.push(...hits.map(({ id }) => id));
    const expected = Math.max(0, Math.min(take, totalHits - page * take));
    expect(hits).toHaveLength(expected);
  }
  return ids;
}

async function rowsIn(port: QueryPort, table: string): Promise<number> {
  const row = await port.one({ sql: `select count(*) as total from ${table}` }, []);
  return Number(row?.["total"]);
}
