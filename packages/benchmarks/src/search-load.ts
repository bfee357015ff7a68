import { join } from "node:path";
import {
  fillCatalog,
  madeUpQuestions,
  openTestPlace,
  testableDatabases,
} from "@sealhouse/database/testing";
import type { CatalogSizes, TestPlace } from "@sealhouse/database/testing";
import type { HostProcess } from "./host-process.ts";
import { openHost } from "./host-process.ts";
import { drive } from "./load.ts";
import { cpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";
import { atRate, percentile } from "./steady-load.ts";

type Type = "Sqlite" | "PostgreSQL";

const PER_SECOND = 50;

/**
 * Searches of people and tools: nothing, a word, several words, a part of a word, qualifiers,
 * filters.
 */
const QUERIES = [
  "q=",
  "q=&prerelease=true&semVerLevel=2.0.0&take=26",
  "q=contoso",
  "q=logging",
  "q=loggi",
  "q=json%20client",
  "q=Contoso.History",
  "q=packageid:contoso.history",
  "q=id:json%20tags:metrics",
  "q=owner:alice%20cache",
  "q=author:contoso",
  "q=structured%20values",
  "q=postgres&framework=net8.0",
  "q=grid&packageType=DotnetTool",
  "q=redis&skip=20&take=20&prerelease=true&semVerLevel=2.0.0",
  "q=nothinghasthisword",
];

/** Search at a steady rate over a large catalog, on every database that has a budget. */
export async function measureSearch(
  folder: string,
  { sizes, seconds }: { readonly sizes: CatalogSizes; readonly seconds: number },
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const type of databases()) {
    await using place = await filledPlace(type, sizes);
    await using host = await openHostOn(join(folder, `search-${type}`), place);
    const rounds = Math.ceil((seconds * PER_SECOND) / QUERIES.length);
    const again = (count: number) => Array.from({ length: count }, () => QUERIES).flat();
    const pages = Array.from({ length: rounds }, (_, round) =>
      QUERIES.map((query) => `${query.replace(/&skip=\d+/, "")}&skip=${round}`),
    ).flat();
    const news = madeUpQuestions()
      .map((words) => `q=${encodeURIComponent(words)}`)
      .take(seconds * PER_SECOND)
      .toArray();
    await atRate(urlsOf(host, again(3)), { perSecond: PER_SECOND });
    const what = `search of ${sizes.ids} ids, ${sizes.versions} versions, ${type}`;
    for (const [how, queries, kinds] of [
      ["questions that come again", again(rounds), QUERIES],
      ["other pages of them, each once", pages, QUERIES],
      ["questions that never came before", news, undefined],
    ] as const) {
      const latencies = await atRate(urlsOf(host, queries), { perSecond: PER_SECOND });
      results.push(resultOf(`${what}, ${how}: p99`, latencies, kinds));
    }
  }
  return results;
}

function urlsOf({ url }: HostProcess, queries: readonly string[]): readonly string[] {
  return queries.map((query) => `${url}/v3/search?${query}`);
}

function resultOf(
  what: string,
  latencies: readonly number[],
  kinds: readonly string[] | undefined,
): Result {
  return {
    what,
    figure: percentile(latencies, 0.99),
    unit: "ms",
    budget: 20,
    bound: "at most",
    remark:
      `${latencies.length} requests, ${PER_SECOND} a second; ` +
      `p50 ${percentile(latencies, 0.5).toFixed(1)} ms` +
      (kinds ? `, slowest of ${kinds.length} kinds ${slowest(latencies, kinds)}` : ""),
  };
}

/** The median of the kind of query that takes longest, when they come in turn. */
function slowest(latencies: readonly number[], kinds: readonly string[]): string {
  const medians = kinds.map((query, kind) => ({
    query,
    ms: percentile(
      latencies.filter((_, index) => index % kinds.length === kind),
      0.5,
    ),
  }));
  const [worst] = medians.toSorted((a, b) => b.ms - a.ms);
  return `${decodeURIComponent(worst?.query ?? "")} at ${worst?.ms.toFixed(1)} ms`;
}

const GROWTH_ROUNDS = 7;
const GROWTH_SECONDS = 2;
const GROWTH_READS = [
  ["search by id", "/v3/search?q=packageid:contoso.history&take=1"],
  ["version list", "/v3/package/contoso.history/index.json"],
  ["registration index", "/v3/registration-gz-semver2/contoso.history/index.json"],
] as const;

/** CPU of the same reads in a catalog and in one with twice the versions, in turn. */
export async function measureGrowth(
  folder: string,
  { sizes }: { readonly sizes: CatalogSizes },
): Promise<readonly Result[]> {
  const double = { ...sizes, versions: sizes.versions * 2 };
  await using smallPlace = await filledPlace("Sqlite", sizes);
  await using largePlace = await filledPlace("Sqlite", double);
  await using small = await openHostOn(join(folder, "growth-small"), smallPlace);
  await using large = await openHostOn(join(folder, "growth-large"), largePlace);
  const results: Result[] = [];
  for (const [what, path] of GROWTH_READS) {
    const ratios: number[] = [];
    for (let round = 0; round < GROWTH_ROUNDS; round += 1) {
      const before = await cpuPerRequest(small, path);
      ratios.push((await cpuPerRequest(large, path)) / before);
    }
    results.push({
      what: `${what}: CPU with ${double.versions} versions instead of ${sizes.versions}`,
      figure: (median(ratios) - 1) * 100,
      unit: "% more",
      budget: 10,
      bound: "at most",
      remark: `median of ${GROWTH_ROUNDS} pairs`,
    });
  }
  return results;
}

async function cpuPerRequest({ url, pid }: HostProcess, path: string): Promise<number> {
  const before = cpuSeconds(pid);
  const { requestsPerSecond } = await drive(`${url}${path}`, GROWTH_SECONDS);
  return (cpuSeconds(pid) - before) / (requestsPerSecond * GROWTH_SECONDS);
}

function databases(): readonly Type[] {
  return (["Sqlite", "PostgreSQL"] as const).filter((type) => testableDatabases().includes(type));
}

async function filledPlace(type: Type, sizes: CatalogSizes): Promise<TestPlace> {
  const place = await openTestPlace(type);
  await fillCatalog(place.config, sizes);
  return place;
}

function openHostOn(folder: string, { config }: TestPlace): Promise<HostProcess> {
  return openHost(folder, { env: { Signing__Mode: "", ...settingsOf(config) } });
}

function settingsOf(config: TestPlace["config"]): Record<string, string> {
  if (config.type === "Sqlite") {
    return { Database__ConnectionString: `Data Source=${config.path}` };
  }
  const { host, port, database, user } = config;
  return {
    Database__Type: config.type,
    Database__ConnectionString: `Host=${host};Port=${port};Database=${database};Username=${user}`,
  };
}
