import { compareVersionTexts } from "../notation/package-version.ts";
import { parseDetails } from "../manifest/package-details.ts";
import type { Clause, Conditions } from "../search/conditions.ts";
import { EVERYWHERE, PLACES, conditionsOf, idOfTerms, termClauses } from "../search/conditions.ts";
import { isWithinLimit } from "../search/id-limit.ts";
import type { IndexedWords } from "../search/indexed-words.ts";
import { indexedWords, spaced } from "../search/indexed-words.ts";
import type {
  DependentsLookup,
  PackageSearch,
  SearchFilter,
  SearchHit,
  SearchPage,
} from "../search/ports.ts";
import type { Row } from "./memory-row.ts";
import { recordOf } from "./memory-row.ts";

type Candidate = {
  readonly id: string;
  readonly rows: readonly Row[];
  readonly newest: Row;
  readonly downloads: number;
  readonly owners: readonly string[];
  readonly words: IndexedWords;
};

/** Search as the contract wants it, by looking at every row. Owners by lower-cased id. */
export function searchRows(
  all: () => readonly Row[],
  owners: ReadonlyMap<string, readonly string[]>,
): PackageSearch & DependentsLookup {
  return {
    async search(query) {
      const conditions = conditionsOf(query);
      const ranked = candidates(all(), query, owners)
        .filter((candidate) => holds(candidate, conditions))
        .map((candidate) => ({ candidate, rank: rankOf(candidate, conditions) }))
        .toSorted((a, b) => a.rank - b.rank || byDownloads(a.candidate, b.candidate));
      const page = pageOf(ranked, query);
      return { totalHits: ranked.length, hits: page.map(({ candidate }) => hitOf(candidate)) };
    },
    async idsStartingWith(query) {
      const prefix = query.prefix.toLowerCase();
      const conditions = conditionsOf(query);
      const ids = candidates(all(), query, owners)
        .filter((candidate) => candidate.id.startsWith(prefix) && holds(candidate, conditions))
        .toSorted((a, b) => byName(a.id, b.id))
        .map(({ newest }) => newest.id);
      return { totalHits: ids.length, ids: pageOf(ids, query) };
    },
    async dependents(id, page) {
      const dependentPackages = current(all(), owners)
        .filter((candidate) => isWithinLimit(page, candidate.id))
        .filter(({ newest }) => newest.dependencyIds.includes(id.toLowerCase()))
        .toSorted(byDownloads)
        .map(({ newest, downloads }) => ({
          id: newest.id,
          description: parseDetails(newest).description,
          downloads,
        }));
      return { totalHits: dependentPackages.length, packages: pageOf(dependentPackages, page) };
    },
  };
}

/** Ids with at least one listed version that passes the filters. */
function candidates(
  all: readonly Row[],
  { prerelease, semVer2 }: SearchFilter,
  owners: ReadonlyMap<string, readonly string[]>,
): Candidate[] {
  return [...Map.groupBy(all, (row) => row.id.toLowerCase())].flatMap(([id, group]) => {
    const rows = group
      .filter((row) => row.listed)
      .filter((row) => (prerelease || !row.isPrerelease) && (semVer2 || !row.isSemVer2))
      .toSorted((a, b) => compareVersionTexts(a.version, b.version));
    const newest = rows.at(-1);
    if (!newest) return [];
    const downloads = group.reduce((sum, row) => sum + row.downloads, 0);
    const packageOwners = owners.get(id) ?? [];
    const words = indexedWords({ ...newest, owners: packageOwners });
    return [{ id, rows, newest, downloads, owners: packageOwners, words }];
  });
}

/** Each package by its newest stable version, or by its newest when it has none. */
function current(all: readonly Row[], owners: ReadonlyMap<string, readonly string[]>): Candidate[] {
  const stable = candidates(all, { prerelease: false, semVer2: true }, owners);
  const stableIds = new Set(stable.map(({ id }) => id));
  const every = candidates(all, { prerelease: true, semVer2: true }, owners);
  return [...stable, ...every.filter(({ id }) => !stableIds.has(id))];
}

function holds(
  { id, words, newest }: Candidate,
  { terms, filters, ids, versions }: Conditions,
): boolean {
  if (!isWithinLimit(ids, id)) return false;
  if (versions && !versions.includes(newest.version.toLowerCase())) return false;
  if (ids.contains && !ids.contains.some((text) => id.includes(text))) return false;
  if (ids.equals && !ids.equals.includes(id)) return false;
  return [...filters, ...termClauses(terms, EVERYWHERE)].every((clause) => isIn(words, clause));
}

function isIn(text: IndexedWords, clause: Clause): boolean {
  return clause.some(({ fields, words, prefix }) => {
    const phrase = prefix ? spaced(words).trimEnd() : spaced(words);
    return fields.some((field) => text[field].includes(phrase));
  });
}

function rankOf({ id, words }: Candidate, { terms }: Conditions): number {
  const spelled = idOfTerms(terms);
  if (spelled === undefined || id === spelled) return -2;
  if (id.startsWith(spelled)) return -1;
  return PLACES.findIndex((fields) =>
    termClauses(terms, fields).every((clause) => isIn(words, clause)),
  );
}

function hitOf({ newest, rows, owners }: Candidate): SearchHit {
  const versions = rows.map(({ version, fullVersion, downloads }) => ({
    version,
    fullVersion,
    downloads,
  }));
  return { id: newest.id, newest: recordOf(newest), versions, owners };
}

function pageOf<T>(all: readonly T[], { skip, take }: SearchPage): readonly T[] {
  return all.slice(skip, skip + take);
}

function byDownloads(a: Candidate, b: Candidate): number {
  return b.downloads - a.downloads || byName(a.id, b.id);
}

function byName(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
