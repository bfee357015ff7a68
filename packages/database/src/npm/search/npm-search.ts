import { searchTotalMax } from "@sealhouse/npm-protocol";
import type { NpmSearch, NpmSearchHit } from "@sealhouse/npm-protocol";
import { sql } from "#kysely";
import type { PortContext } from "../../port-context.ts";
import { OVERHEAD_BYTES, rememberAnswers, sumOf } from "../../remembered-answers.ts";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import { textList } from "../../statements/text-list.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import { maintainersOf } from "../package-access.ts";
import { npmConditions } from "./npm-words.ts";
import { countPackages, NPM_SEARCH_EFFORT, pageOfPackages } from "./search-pages.ts";
import type { NpmSearchEffort } from "./search-pages.ts";
import { wordMatch } from "./word-match.ts";
import type { WordMatch } from "./word-match.ts";

const HITS = defineStatement("npm-search-hits", { ids: param.wholes }, (db, { ids }, own) =>
  db
    .selectFrom("npm_packages as p")
    .innerJoin("npm_tags as t", "t.package_id", "p.id")
    .innerJoin("npm_versions as v", "v.id", "t.version_id")
    .where("p.id", "in", own.wholesIn(ids))
    .where("t.tag", "=", sql.lit("latest"))
    .select([
      "p.id",
      "p.name",
      "p.maintainers",
      "v.version",
      "v.description",
      "v.keywords",
      "v.published_at",
      "v.manifest",
      "v.deprecated",
    ]),
);
const DEPENDENTS = defineStatement(
  "npm-dependents-counts",
  { names: param.texts },
  (db, { names }, own) =>
    db
      .selectFrom("npm_dependencies")
      .where("dependency_name", "in", own.textsIn(names))
      .select(["dependency_name", ({ fn }) => fn.countAll<number>().as("total")])
      .groupBy("dependency_name"),
);

/** Limit of the cached answers and totals together. */
const CACHE_BYTES = 8 * 1024 * 1024;

/** The parts of a database that the search reads. */
export type NpmSearchContext = Pick<PortContext, "type"> & {
  readonly port: Pick<PortContext["port"], "versions">;
  readonly queries: Pick<Queries, "one" | "all">;
};

/**
 * Search by the index of words. Its cost grows with the packages that match, up to some thousands,
 * and hardly with the others. Answers are cached until the next write; a total is counted once for
 * all pages of a search.
 */
export function createNpmSearch(
  { type, port, queries }: NpmSearchContext,
  {
    effort = NPM_SEARCH_EFFORT,
    match = wordMatch(type),
  }: { readonly effort?: NpmSearchEffort; readonly match?: WordMatch } = {},
): NpmSearch {
  const rememberNow = rememberAnswers(port, CACHE_BYTES);
  return {
    async search({ from, size, totalMax = searchTotalMax({ from, size }), ...filter }) {
      const conditions = npmConditions(filter);
      const { clauses } = conditions;
      if (!clauses) return { total: 0, hits: [] };
      const searcher = { queries, match, effort, filter, conditions: { ...conditions, clauses } };
      const remember = await rememberNow();
      // The filter includes the names that the caller may see.
      const search = async () => {
        const total = await remember(
          ["count", filter, totalMax],
          () => countPackages(searcher, totalMax),
          () => 0,
        );
        // SQL Server has no pages without rows.
        if (size <= 0 || total <= from) return { total, hits: [] };
        const atMost = total < totalMax ? total : Number.POSITIVE_INFINITY;
        const ids = await pageOfPackages(searcher, atMost, { skip: from, take: size });
        return { total, hits: await hitsOf(queries, ids) };
      };
      return remember(["page", filter, from, size, totalMax], search, ({ hits }) =>
        sumOf(hits, hitBytes),
      );
    },
  };
}

function hitBytes({ manifest, description, keywords, maintainers = [] }: NpmSearchHit): number {
  const words = keywords.join().length;
  const strings = keywords.length + maintainers.length + 2;
  return manifest.length + description.length + words + strings * OVERHEAD_BYTES;
}

type HitRow = RowOf<typeof HITS>;

/** Reads the hits in the order of the ids. */
async function hitsOf(
  queries: Pick<Queries, "all">,
  ids: readonly number[],
): Promise<readonly NpmSearchHit[]> {
  if (ids.length === 0) return [];
  const rows = await queries.all(HITS, { ids });
  const dependents = await dependentsOf(queries, rows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? [hitOf(row, dependents)] : [];
  });
}

/** Returns numbers of dependents by lower-case name; names without dependents have no entry. */
async function dependentsOf(
  queries: Pick<Queries, "all">,
  hits: readonly HitRow[],
): Promise<ReadonlyMap<string, number>> {
  const names = hits.map(({ name }) => name.toLowerCase());
  const rows = await queries.all(DEPENDENTS, { names });
  return new Map(rows.map((row) => [row.dependency_name, row.total]));
}

function hitOf(row: HitRow, dependents: ReadonlyMap<string, number>): NpmSearchHit {
  const { name, deprecated } = row;
  return {
    name,
    dependents: dependents.get(name.toLowerCase()) ?? 0,
    version: row.version,
    description: row.description,
    keywords: textList(row.keywords),
    publishedAt: row.published_at,
    manifest: row.manifest,
    ...(deprecated !== null && { deprecated }),
    maintainers: maintainersOf(row),
  };
}
