import type { DependentsLookup, PackageSearch, SearchHit } from "@sealhouse/nuget-protocol";
import type { PortContext } from "../../port-context.ts";
import type { QueryPort } from "../../raw/query-port.ts";
import { OVERHEAD_BYTES, rememberAnswers, sumOf } from "../../remembered-answers.ts";
import type { Queries } from "../../statements/queries.ts";
import { countIn } from "../../search/count.ts";
import type { Count } from "../../search/count.ts";

type Search = PackageSearch & DependentsLookup;

/** The parts of a database that the cache reads. */
export type SearchContext = Pick<PortContext, "type"> & {
  readonly port: Pick<QueryPort, "versions">;
  readonly queries: Pick<Queries, "one">;
};

/**
 * Caches search results and counts until the next write.
 *
 * @param bytesMax limit of all entries together; an entry may use an eighth of it
 */
export function cacheSearches(
  searchCounting: (count: Count) => Search,
  { type, port, queries }: SearchContext,
  bytesMax: number,
): Search {
  const count = countIn(queries);
  const rememberNow = rememberAnswers(port, bytesMax);
  const remembering = async <T>(
    question: readonly unknown[],
    ask: (search: Search) => Promise<T>,
    sizeOf: (answer: T) => number,
  ): Promise<T> => {
    const remember = await rememberNow();
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
        ({ hits }) => sumOf(hits, hitBytes),
      ),
    idsStartingWith: (query) =>
      remembering(
        ["ids", query],
        (search) => search.idsStartingWith(query),
        ({ ids }) => sumOf(ids, (id) => id.length + OVERHEAD_BYTES),
      ),
    dependents: (id, page) =>
      remembering(
        ["dependents", id, page],
        (search) => search.dependents(id, page),
        ({ packages }) => sumOf(packages, ({ description }) => description.length + OVERHEAD_BYTES),
      ),
  };
}

function hitBytes({ newest, versions }: SearchHit): number {
  return newest.details.length + (versions.length + 2) * OVERHEAD_BYTES;
}
