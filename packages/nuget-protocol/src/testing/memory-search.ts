import { compareVersionTexts } from "../package-version.ts";
import type { PackageSearch, SearchHit, SearchQuery } from "../search/ports.ts";
import type { Row } from "./memory-row.ts";
import { recordOf } from "./memory-row.ts";

type Candidate = { readonly rows: readonly Row[]; readonly newest: Row };

/** Search as the contract wants it, by looking at every row. */
export function searchRows(all: () => readonly Row[]): PackageSearch {
  return {
    async search(query) {
      const terms = query.text.toLowerCase().split(/\s+/).filter(Boolean);
      const ranked = candidates(all(), query)
        .filter(({ newest }) => terms.every((term) => textOf(newest).includes(term)))
        .map((candidate) => ({ candidate, rank: rankOf(candidate.newest.id, query.text) }))
        .toSorted(
          (a, b) =>
            a.rank - b.rank ||
            downloadsOf(b.candidate) - downloadsOf(a.candidate) ||
            byName(a.candidate.newest.id, b.candidate.newest.id),
        );
      const page = ranked.slice(query.skip, query.skip + query.take);
      return { totalHits: ranked.length, hits: page.map(({ candidate }) => hitOf(candidate)) };
    },
    async idsStartingWith(query) {
      const prefix = query.text.trim().toLowerCase();
      const ids = candidates(all(), query)
        .map(({ newest }) => newest.id)
        .filter((id) => id.toLowerCase().startsWith(prefix))
        .toSorted(byName);
      return { totalHits: ids.length, ids: ids.slice(query.skip, query.skip + query.take) };
    },
  };
}

/** Ids with at least one listed version that passes the filters. */
function candidates(all: readonly Row[], query: SearchQuery): Candidate[] {
  const passing = all.filter(
    (row) =>
      row.listed && (query.prerelease || !row.isPrerelease) && (query.semVer2 || !row.isSemVer2),
  );
  return [...Map.groupBy(passing, (row) => row.id.toLowerCase()).values()].flatMap((group) => {
    const rows = group.toSorted((a, b) => compareVersionTexts(a.version, b.version));
    const newest = rows.at(-1);
    return newest && hasType(newest, query.packageType) ? [{ rows, newest }] : [];
  });
}

function hasType(row: Row, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  return row.packageTypes.some((type) => type.toLowerCase() === wanted.toLowerCase());
}

/** Exact id, then ids that start with the text, then ids that hold it, then everything else. */
function rankOf(id: string, text: string): number {
  const [name, wanted] = [id.toLowerCase(), text.trim().toLowerCase()];
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  return name.includes(wanted) ? 2 : 3;
}

function textOf({ id, title, tags, authors, description }: Row): string {
  return [id, title, ...tags, authors, description].join("\n").toLowerCase();
}

function downloadsOf({ rows }: Candidate): number {
  return rows.reduce((sum, row) => sum + row.downloads, 0);
}

function hitOf({ rows, newest }: Candidate): SearchHit {
  return { id: newest.id, versions: rows.map(recordOf) };
}

function byName(left: string, right: string): number {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
