/** Rows of one page. */
export type PageRange = { readonly skip: number; readonly take: number };

/** The queries for the rows of one rank. */
export type RankSource<Rank, Row> = {
  /** Returns the rows of a rank that are on the page. */
  pageOf(rank: Rank, page: PageRange): Promise<readonly Row[]>;
  /** Counts the rows of a rank. */
  countOf(rank: Rank): Promise<number>;
};

/** Queries rank after rank until the page is full, which skips the search for weak matches. */
export async function pageOfRanks<Rank, Row>(
  ranks: AsyncIterable<Rank> | Iterable<Rank>,
  source: RankSource<Rank, Row>,
  { skip, take }: PageRange,
): Promise<readonly Row[]> {
  const ranked: Row[] = [];
  let passed = 0;
  for await (const rank of ranks) {
    const page = { skip: Math.max(0, skip - passed), take: take - ranked.length };
    const rows = await source.pageOf(rank, page);
    ranked.push(...rows);
    if (ranked.length === take) break;
    // All remaining rows of this rank are on the page, unless they end before it begins.
    const hasNone = rows.length === 0 && page.skip > 0;
    passed += hasNone ? await source.countOf(rank) : page.skip + rows.length;
  }
  return ranked;
}
