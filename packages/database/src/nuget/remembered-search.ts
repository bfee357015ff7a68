import type { DependentsLookup, PackageSearch, SearchHit } from "@sealhouse/nuget-protocol";
import type { QueryPort } from "../raw/query-port.ts";

type Search = PackageSearch & DependentsLookup;

type Remembered = {
  readonly state: string;
  readonly answer: Promise<unknown>;
  /** 0 until the answer is there. */
  readonly bytes: number;
};

/** What a row or a string costs beside its text, roughly. */
const OVERHEAD_BYTES = 256;

/**
 * The same searches are asked again and again, by pages that people open and by tools that look for
 * news; and the broad ones cost most. Answers are kept until anybody writes anything, so they are
 * as fresh as without. Searches that come together are made once. Databases that cannot tell
 * whether something was written are asked every time.
 *
 * @param bytesMax of all answers together; an eighth of it for one
 */
export function rememberSearches(
  search: Search,
  { writtenState }: Pick<QueryPort, "writtenState">,
  bytesMax: number,
): Search {
  if (!writtenState) return search;
  const kept = new Map<string, Remembered>();
  let total = 0;

  const drop = (key: string) => {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, remembered: Remembered) => {
    drop(key);
    kept.set(key, remembered);
    total += remembered.bytes;
    for (const [oldest] of kept) {
      if (total <= bytesMax) break;
      drop(oldest);
    }
  };
  const remembering = async <T>(
    question: readonly unknown[],
    ask: () => Promise<T>,
    sizeOf: (answer: T) => number,
  ): Promise<T> => {
    const key = JSON.stringify(question);
    // Asked before the search: after a write in between, the next one asks again.
    const state = await writtenState();
    const known = kept.get(key);
    if (known?.state === state) {
      kept.delete(key);
      kept.set(key, known);
      return known.answer as Promise<T>;
    }
    const answer = ask();
    keep(key, { state, answer, bytes: 0 });
    try {
      const bytes = OVERHEAD_BYTES + key.length + sizeOf(await answer);
      if (kept.get(key)?.answer !== answer) return await answer;
      if (bytes > bytesMax / 8) drop(key);
      else keep(key, { state, answer, bytes });
    } catch (error) {
      if (kept.get(key)?.answer === answer) drop(key);
      throw error;
    }
    return answer;
  };
  return {
    search: (query) =>
      remembering(
        ["search", query],
        () => search.search(query),
        ({ hits }) => sum(hits, hitBytes),
      ),
    idsStartingWith: (query) =>
      remembering(
        ["ids", query],
        () => search.idsStartingWith(query),
        ({ ids }) => sum(ids, (id) => id.length + OVERHEAD_BYTES),
      ),
    dependents: (id, page) =>
      remembering(
        ["dependents", id, page],
        () => search.dependents(id, page),
        ({ packages }) => sum(packages, ({ description }) => description.length + OVERHEAD_BYTES),
      ),
  };
}

function hitBytes({ newest, versions }: SearchHit): number {
  return newest.details.length + (versions.length + 2) * OVERHEAD_BYTES;
}

function sum<T>(items: readonly T[], sizeOf: (item: T) => number): number {
  return items.reduce((bytes, item) => bytes + sizeOf(item), 0);
}
