import type { Hits } from "./merge-hits.ts";

export type HitCollection<Found, Hit> = {
  /** Hits from the first one on. */
  readonly wanted: number;
  /** Results of one request at most. */
  readonly sizeMax: number;
  readonly read: (
    from: number,
    size: number,
  ) => Promise<{ readonly total: number; readonly found: readonly Found[] }>;
  /** The same for results that are the same package. */
  readonly keyOf: (found: Found) => string;
  /** Returns the results that may be shown. */
  readonly show: (found: readonly Found[]) => Promise<readonly Hit[]>;
};

/** Fewer results are not worth a request: some of them may not be shown. */
const SIZE_MIN = 20;
const PAGES_MAX = 50;

/**
 * Reads results of a source until there are as many hits as wanted, or no further results. Pages
 * of hits would have gaps if the results were counted that may not be shown.
 */
export async function collectHits<Found, Hit>(
  collection: HitCollection<Found, Hit>,
): Promise<Hits<Hit>> {
  const { wanted, sizeMax, read, keyOf, show } = collection;
  const seen = new Set<string>();
  const hits: Hit[] = [];
  let total = 0;
  for (let page = 0, from = 0; page < PAGES_MAX; page += 1) {
    const size = Math.min(Math.max(wanted - hits.length, SIZE_MIN), sizeMax);
    const answer = await read(from, size);
    const fresh = answer.found.filter((found) => !seen.has(keyOf(found)));
    for (const found of fresh) seen.add(keyOf(found));
    hits.push(...(await show(fresh)));
    total = Math.max(total, answer.total, seen.size);
    from += answer.found.length;
    // Some registries give the same page again and again.
    if (hits.length >= wanted || answer.found.length < size || fresh.length === 0) break;
  }
  return { totalHits: total - (seen.size - hits.length), hits };
}
