import type { DependentsLookup, PackageSearch, SearchHit } from "@sealhouse/nuget-protocol";
import type { PortContext } from "../../port-context.ts";
import type { QueryPort } from "../../raw/query-port.ts";
import type { DatabaseVersion } from "../../raw/version.ts";
import type { Queries } from "../../statements/queries.ts";
import { countIn } from "./search-count.ts";
import type { Count } from "./search-count.ts";

type Search = PackageSearch & DependentsLookup;

type Remembered = {
  readonly version: DatabaseVersion;
  readonly answer: Promise<unknown>;
  /** 0 until the answer is there. */
  readonly bytes: number;
};

type Remember = <T>(
  question: readonly unknown[],
  ask: () => Promise<T>,
  sizeOf: (answer: T) => number,
) => Promise<T>;

/** The parts of a database that the cache reads. */
export type SearchContext = Pick<PortContext, "type"> & {
  readonly port: Pick<QueryPort, "versions">;
  readonly queries: Pick<Queries, "one">;
};

/** Approximate overhead of a row or string in bytes. */
const OVERHEAD_BYTES = 256;

/**
 * Caches search results and counts, because pages and tools repeat the same searches, and broad
 * ones are expensive. An entry is valid until any write, so results are always current. Concurrent
 * equal searches run once. Databases that cannot report writes have no cache.
 *
 * @param bytesMax limit of all entries together; an entry may use an eighth of it
 */
export function cacheSearches(
  searchCounting: (count: Count) => Search,
  { type, port, queries }: SearchContext,
  bytesMax: number,
): Search {
  const { versions } = port;
  const count = countIn(queries);
  if (!versions) return searchCounting(count);
  const rememberAt = createMemory(bytesMax);
  const remembering = async <T>(
    question: readonly unknown[],
    ask: (search: Search) => Promise<T>,
    sizeOf: (answer: T) => number,
  ): Promise<T> => {
    // Asked before the search: after a write in between, the next one asks again.
    const version = await versions.current();
    if (version === undefined) return ask(searchCounting(count));
    const remember = rememberAt(version);
    const counting: Count = (statement) => {
      const { sql, places } = statement.compiled(type);
      return remember(
        ["count", sql, places],
        () => count(statement),
        () => 0,
      );
    };
    return remember(question, () => ask(searchCounting(counting)), sizeOf);
  };
  return {
    search: (query) =>
      remembering(
        ["search", query],
        (search) => search.search(query),
        ({ hits }) => sum(hits, hitBytes),
      ),
    idsStartingWith: (query) =>
      remembering(
        ["ids", query],
        (search) => search.idsStartingWith(query),
        ({ ids }) => sum(ids, (id) => id.length + OVERHEAD_BYTES),
      ),
    dependents: (id, page) =>
      remembering(
        ["dependents", id, page],
        (search) => search.dependents(id, page),
        ({ packages }) => sum(packages, ({ description }) => description.length + OVERHEAD_BYTES),
      ),
  };
}

/** Caches results for one version; drops the least recently used ones first. */
function createMemory(bytesMax: number): (version: DatabaseVersion) => Remember {
  const entries = new Map<string, Remembered>();
  let total = 0;

  const drop = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  const keep = (key: string, remembered: Remembered) => {
    drop(key);
    entries.set(key, remembered);
    total += remembered.bytes;
    for (const [oldest] of entries) {
      if (total <= bytesMax) break;
      drop(oldest);
    }
  };
  return (version) => async (question, ask, sizeOf) => {
    const key = JSON.stringify(question);
    const entry = entries.get(key);
    if (entry?.version === version) {
      entries.delete(key);
      entries.set(key, entry);
      return entry.answer as ReturnType<typeof ask>;
    }
    const answer = ask();
    keep(key, { version, answer, bytes: 0 });
    try {
      const bytes = OVERHEAD_BYTES + key.length + sizeOf(await answer);
      if (entries.get(key)?.answer !== answer) return await answer;
      if (bytes > bytesMax / 8) drop(key);
      else keep(key, { version, answer, bytes });
    } catch (error) {
      if (entries.get(key)?.answer === answer) drop(key);
      throw error;
    }
    return answer;
  };
}

function hitBytes({ newest, versions }: SearchHit): number {
  return newest.details.length + (versions.length + 2) * OVERHEAD_BYTES;
}

function sum<T>(items: readonly T[], sizeOf: (item: T) => number): number {
  return items.reduce((bytes, item) => bytes + sizeOf(item), 0);
}
