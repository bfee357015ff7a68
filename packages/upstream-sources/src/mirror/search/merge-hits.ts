/** Hits of one place: of this feed, or of a source. */
export type Hits<Hit> = { readonly totalHits: number; readonly hits: readonly Hit[] };

/**
 * Order of hits of sources and of this feed. `LocalPreferred`: after them, each name
 * once. `Deduplicate`: by turns, each name once. `Union`: by turns, all of them.
 */
export type MergeStrategy = "LocalPreferred" | "Deduplicate" | "Union";

export type MergeOptions<Hit> = {
  readonly strategy: MergeStrategy;
  /** The same for hits that show the same package. */
  readonly keyOf: (hit: Hit) => string;
};

/**
 * Merges hits, best first in each list; the lists begin with the first hit of all pages. The total
 * counts a hit that is in several of the given lists once.
 */
export function mergeHits<Hit>(
  local: Hits<Hit>,
  others: readonly Hits<Hit>[],
  { strategy, keyOf }: MergeOptions<Hit>,
): Hits<Hit> {
  const lists = [local, ...others];
  const total = lists.reduce((sum, { totalHits }) => sum + totalHits, 0);
  const ordered =
    strategy === "LocalPreferred"
      ? lists.flatMap(({ hits }) => hits)
      : byTurns(lists.map(({ hits }) => hits));
  if (strategy === "Union") return { totalHits: total, hits: ordered };
  const byKey = new Map<string, Hit>();
  for (const hit of ordered) {
    const key = keyOf(hit);
    if (!byKey.has(key)) byKey.set(key, hit);
  }
  return { totalHits: total - (ordered.length - byKey.size), hits: [...byKey.values()] };
}

function byTurns<Hit>(lists: readonly (readonly Hit[])[]): readonly Hit[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}
