import type {
  NameLimit,
  NpmSearch,
  NpmSearchFilter,
  NpmSearchHit,
  NpmSearchQuality,
  OriginLimit,
} from "@sealhouse/npm-protocol";
import type { PortContext } from "../port-context.ts";
import { containing, searchTerms } from "../raw/like.ts";
import { param } from "../statements/kinds.ts";
import { OVERHEAD_BYTES, rememberAnswers, sumOf } from "../remembered-answers.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { textList } from "../statements/text-list.ts";
import { hiddenValues } from "../visibility/hidden-names.ts";
import { namePatterns } from "./name-limit.ts";
import { maintainersOf } from "./package-access.ts";
import { searchStatements } from "./search-statements.ts";
import type { SearchGroup } from "./search-statements.ts";

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
export type NpmSearchContext = {
  readonly port: Pick<PortContext["port"], "versions">;
  readonly queries: Pick<Queries, "one" | "all">;
};

/**
 * Search by LIKE over the version that each package's `latest` points to. Answers are cached until
 * the next write; a total is counted once for all pages of a search.
 */
export function createNpmSearch({ port, queries }: NpmSearchContext): NpmSearch {
  const rememberNow = rememberAnswers(port, CACHE_BYTES);
  return {
    async search({ from, size, ...filter }) {
      const { text, boostExact = true } = filter;
      const { groups, values } = conditionsOf(filter);
      const { count, page } = searchStatements(groups, boostExact);
      const exact = text.toLowerCase();
      const remember = await rememberNow();
      // All that the statements are given, and so also the names that the caller may see.
      const matching = [[...groups], values] as const;
      const search = async () => {
        const total = await remember(
          ["count", ...matching],
          async () => (await queries.one(count, values))?.total ?? 0,
          () => 0,
        );
        // SQL Server has no pages without rows.
        if (size <= 0 || total <= from) return { total, hits: [] };
        const place = { exact, part: containing(exact), skip: from, take: size };
        const rows = await queries.all(page, { ...values, ...place });
        const dependents = await dependentsOf(queries, rows);
        return { total, hits: rows.map((row) => hitOf(row, dependents)) };
      };
      return remember(["page", ...matching, exact, boostExact, from, size], search, ({ hits }) =>
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

type HitRow = RowOf<ReturnType<typeof searchStatements>["page"]>;

/** Returns numbers of dependents by lower-case name; names without dependents have no entry. */
async function dependentsOf(
  queries: Pick<Queries, "all">,
  hits: readonly HitRow[],
): Promise<ReadonlyMap<string, number>> {
  if (hits.length === 0) return new Map();
  const names = hits.map(({ name }) => name.toLowerCase());
  const rows = await queries.all(DEPENDENTS, { names });
  return new Map(rows.map((row) => [row.dependency_name, row.total]));
}

/** The values of a search, and the groups of conditions that it needs. */
function conditionsOf(filter: NpmSearchFilter & NameLimit & OriginLimit) {
  const { text, keywords = [], scope, maintainers = [], without = [], only = [], names } = filter;
  const { hidden, ownOnly = false, notFrom } = filter;
  const [term, ...terms] = searchTerms(text).map(containing);
  const [keyword, ...otherKeywords] = keywords.flatMap(keywordPatterns);
  const isOneKeyword = keyword !== undefined && otherKeywords.length === 0;
  const [maintainer, ...otherMaintainers] = maintainers.map(maintainerPattern);
  const allows = (quality: NpmSearchQuality) => !without.includes(quality);
  const allowsOthers = (quality: NpmSearchQuality) => !only.includes(quality);
  const values = {
    term,
    terms: terms.map((pattern) => ({ pattern })),
    keyword: keyword?.pattern,
    keywords: keywords.flatMap(keywordPatterns),
    places: keywords.length,
    scope: scope === undefined ? undefined : containing(`${scope}/`).slice(1),
    maintainer,
    maintainers: otherMaintainers.map((pattern) => ({ pattern })),
    deprecated: allows("deprecated"),
    undeprecated: allowsOthers("deprecated"),
    unstable: allows("unstable"),
    stable: allowsOthers("unstable"),
    ...namePatterns(names ?? []),
    ...hiddenValues(hidden),
    notFrom,
  };
  const needed: Readonly<Record<SearchGroup, boolean>> = {
    term: term !== undefined,
    terms: terms.length > 0,
    keyword: isOneKeyword,
    keywords: keywords.length > 0 && !isOneKeyword,
    scope: scope !== undefined,
    maintainer: maintainer !== undefined,
    maintainers: otherMaintainers.length > 0,
    states: without.length + only.length > 0,
    names: names !== undefined,
    hidden: hidden !== undefined,
    ownOnly,
    notFrom: notFrom !== undefined,
  };
  const groups = new Set(Object.entries(needed).flatMap(([group, is]) => (is ? [group] : [])));
  return { groups: groups as ReadonlySet<SearchGroup>, values };
}

function keywordPatterns(group: readonly string[], place: number) {
  return group.map((keyword) => ({
    place,
    pattern: containing(JSON.stringify(keyword.toLowerCase())),
  }));
}

function maintainerPattern(name: string): string {
  return containing(`"name":${JSON.stringify(name)}`);
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
