import { indexedWords, ownerWord, parseDetails, spaced } from "@sealhouse/nuget-protocol";
import type { Indexable } from "@sealhouse/nuget-protocol";
import type { Unit } from "../transactions/unit-of-work.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textListOf, textOf } from "../raw/row.ts";
import { WORD_COLUMNS } from "./search-columns.ts";
import { SEARCH_WAYS } from "./search-ways.ts";
import type { SearchWay } from "./search-ways.ts";

// Keeps the entries that searches read in step with the columns of `nuget_packages` that name the
// newest versions. Each database's own index of words follows by triggers.

/** The newest version for each way to search; null where no version passes. */
export type NewestVersions = Readonly<Record<SearchWay["property"], number | null>>;

/** A transaction. */
export type IndexUnit = Pick<Unit, "read" | "run">;

/** Longer names cannot be ids. */
const DEPENDENCY_ID_LENGTH_MAX = 128;
/** Parameters of one insert. */
const ROWS_AT_ONCE = 100;
/** Between the filters that change with the package and those that belong to the version. */
const OWN_FILTERS = " \u{e001} ";

export const ENTRY_COLUMNS = ["version_id", "package_id", ...Object.values(WORD_COLUMNS)];

const STANDING: Statement = {
  name: "nuget-entries-standing",
  sql: `select p.owners, ${SEARCH_WAYS.map(({ column }) => `p.${column}`).join(", ")},
      e.version_id, e.filters
    from nuget_packages p left join nuget_search_entries e on e.package_id = p.id where p.id = ?`,
};
const POINT: Statement = {
  name: "nuget-newest-set",
  sql: `update nuget_packages
    set ${SEARCH_WAYS.map(({ column }) => `${column} = ?`).join(", ")} where id = ?`,
};
const VERSION: Statement = {
  name: "nuget-version-to-index",
  sql: "select display_id, details, target_frameworks from nuget_versions where id = ?",
};
const DEPENDENCY_IDS: Statement = {
  name: "nuget-dependencies-to-index",
  sql: "select details, dependency_ids from nuget_versions where id = ?",
};
const INSERT: Statement = {
  name: "nuget-entry-insert",
  sql: `insert into nuget_search_entries (${ENTRY_COLUMNS.join(", ")})
    values (${ENTRY_COLUMNS.map(() => "?").join(", ")})`,
};
const UPDATE: Statement = {
  name: "nuget-entry-filters",
  sql: "update nuget_search_entries set filters = ? where version_id = ?",
};
const DROP: Statement = {
  name: "nuget-entry-drop",
  sql: "delete from nuget_search_entries where version_id = ?",
};
const DEPENDENCIES: Statement = {
  name: "nuget-dependencies-standing",
  sql: "select dependency_id from nuget_dependencies where package_id = ?",
};
const DROP_DEPENDENCIES: Statement = {
  name: "nuget-dependencies-drop",
  sql: "delete from nuget_dependencies where package_id = ?",
};

/** Notes the newest versions of a package and brings its entries up to date. `rewritten`: a version
 * whose content is another. */
export async function refreshSearchIndex(
  unit: IndexUnit,
  packageId: number,
  changed: { readonly newest: NewestVersions; readonly rewritten?: number },
): Promise<void> {
  const { newest, rewritten } = changed;
  const wanted = waysByVersion(newest);
  const standing = await unit.read(STANDING, [packageId]);
  const before = newestIn(standing[0]);
  if (SEARCH_WAYS.some(({ property }) => before[property] !== newest[property])) {
    const named = SEARCH_WAYS.map(({ property }) => newest[property] ?? undefined);
    await unit.run(POINT, [...named, packageId]);
  }
  const owners = ownersOf(standing[0]);
  const kept = new Set<number>();
  for (const row of standing) {
    if (row["version_id"] === null || row["version_id"] === undefined) continue;
    const versionId = numberOf(row, "version_id");
    const ways = wanted.get(versionId);
    if (!ways || versionId === rewritten) await unit.run(DROP, [versionId]);
    else {
      kept.add(versionId);
      const filters = textOf(row, "filters");
      const current = filtersOf([...ways, ...owners.map(ownerWord)], ownFilters(filters));
      if (current !== filters) await unit.run(UPDATE, [current, versionId]);
    }
  }
  for (const [versionId, ways] of wanted) {
    if (!kept.has(versionId)) await addEntry(unit, { packageId, versionId, ways, owners });
  }
  const current = currentOf(newest);
  const isSame = current === currentOf(before) && (current === null || kept.has(current));
  if (!isSame) await refreshDependencies(unit, packageId, current);
}

/** The version whose dependencies count as the package's. */
export function currentOf({ newestStable2, newestAny2 }: NewestVersions): number | null {
  return newestStable2 ?? newestAny2;
}

/** Reads the columns of `nuget_packages` with the newest versions. */
export function newestIn(row: Row | undefined): NewestVersions {
  const [stable1 = null, any1 = null, stable2 = null, any2 = null] = SEARCH_WAYS.map(({ column }) =>
    row && typeof row[column] === "number" ? numberOf(row, column) : null,
  );
  return { newestStable1: stable1, newestAny1: any1, newestStable2: stable2, newestAny2: any2 };
}

function waysByVersion(newest: NewestVersions): ReadonlyMap<number, readonly string[]> {
  const named = SEARCH_WAYS.flatMap(({ property, word }) => {
    const versionId = newest[property];
    return versionId === null ? [] : [{ versionId, word }];
  });
  const groups = Map.groupBy(named, ({ versionId }) => versionId);
  return new Map([...groups].map(([id, group]) => [id, group.map(({ word }) => word)]));
}

export type NewEntry = {
  readonly packageId: number;
  readonly versionId: number;
  /** The words of `SEARCH_WAYS`. */
  readonly ways: readonly string[];
  readonly owners: readonly string[];
};

async function addEntry(unit: IndexUnit, entry: NewEntry): Promise<void> {
  const [row] = await unit.read(VERSION, [entry.versionId]);
  if (row) await unit.run(INSERT, entryValues(entry, indexableOf(row)));
}

/** The columns of `nuget_search_entries`, in the order of `ENTRY_COLUMNS`. */
export function entryValues(
  { packageId, versionId, ways, owners }: NewEntry,
  version: Omit<Indexable, "owners">,
): readonly (string | number)[] {
  const words = indexedWords({ ...version, owners: [] });
  const filters = filtersOf([...ways, ...owners.map(ownerWord)], words.filters);
  const { idWords, idParts, title, tags, authors, summary, description } = words;
  const texts = [idWords, idParts, title, tags, authors, summary, description];
  return [versionId, packageId, filters, ...texts];
}

function indexableOf(row: Row): Omit<Indexable, "owners"> {
  const isKnown = optionalTextOf(row, "target_frameworks") !== undefined;
  return {
    id: textOf(row, "display_id"),
    details: textOf(row, "details"),
    targetFrameworks: isKnown ? textListOf(row, "target_frameworks") : undefined,
  };
}

/** `own` has its spaces around it. */
function filtersOf(changing: readonly string[], own: string): string {
  return spaced(changing).trimEnd() + OWN_FILTERS + own.trimStart();
}

function ownFilters(filters: string): string {
  return filters.slice(filters.indexOf(OWN_FILTERS) + OWN_FILTERS.length);
}

function ownersOf(row: Row | undefined): readonly string[] {
  return row && optionalTextOf(row, "owners") !== undefined ? textListOf(row, "owners") : [];
}

async function refreshDependencies(
  unit: IndexUnit,
  packageId: number,
  versionId: number | null,
): Promise<void> {
  const wanted = versionId === null ? [] : await dependencyIds(unit, versionId);
  const rows = await unit.read(DEPENDENCIES, [packageId]);
  const standing = new Set(rows.map((row) => textOf(row, "dependency_id")));
  if (standing.size === wanted.length && wanted.every((id) => standing.has(id))) return;
  if (standing.size > 0) await unit.run(DROP_DEPENDENCIES, [packageId]);
  for (let at = 0; at < wanted.length; at += ROWS_AT_ONCE) {
    const some = wanted.slice(at, at + ROWS_AT_ONCE);
    const values = some.map(() => "(?, ?)").join(", ");
    const sql = `insert into nuget_dependencies (package_id, dependency_id) values ${values}`;
    await unit.run(
      { sql },
      some.flatMap((id) => [packageId, id]),
    );
  }
}

async function dependencyIds(unit: IndexUnit, versionId: number): Promise<readonly string[]> {
  const [row] = await unit.read(DEPENDENCY_IDS, [versionId]);
  if (!row) return [];
  const known = optionalTextOf(row, "dependency_ids") !== undefined;
  const ids = known ? textListOf(row, "dependency_ids") : idsInDetails(textOf(row, "details"));
  return [...new Set(ids)].filter((id) => id.length <= DEPENDENCY_ID_LENGTH_MAX);
}

function idsInDetails(details: string): readonly string[] {
  const { dependencyGroups } = parseDetails({ details });
  return dependencyGroups.flatMap((group) => group.dependencies.map(({ id }) => id.toLowerCase()));
}
