import { sql } from "#kysely";
import { indexedWords, ownerWord, parseDetails, spaced } from "@sealhouse/nuget-protocol";
import type { Indexable } from "@sealhouse/nuget-protocol";
import { param } from "../../statements/kinds.ts";
import type { Values } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import { listedOwners } from "../../ownership/listed-publisher.ts";
import { textList } from "../../statements/text-list.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { SEARCH_WAYS } from "./search-ways.ts";
import type { SearchWay } from "./search-ways.ts";

// Keeps the entries that searches read in step with the columns of `nuget_packages` that name the
// newest versions. Each database's own index of words follows by triggers.

/** The newest version for each way to search; null where no version passes. */
export type NewestVersions = Readonly<Record<SearchWay["property"], number | null>>;

/** The same as columns of `nuget_packages`. */
type NewestColumns = Readonly<Record<SearchWay["column"], number | null>>;

/** A transaction. */
export type IndexUnit = Pick<Unit, "queries">;

/** Longer names cannot be ids. */
const DEPENDENCY_ID_LENGTH_MAX = 128;
/** Between the filters that change with the package and those that belong to the version. */
const OWN_FILTERS = " \u{e001} ";

/** The columns of `nuget_search_entries`. */
const ENTRY = {
  version_id: param.whole,
  package_id: param.whole,
  filters: param.longText,
  id_words: param.longText,
  id_parts: param.longText,
  title: param.longText,
  tags: param.longText,
  authors: param.longText,
  summary: param.longText,
  description: param.longText,
};
const PACKAGE = { packageId: param.whole };
const VERSION = { versionId: param.whole };

const STANDING = defineStatement("nuget-entries-standing", PACKAGE, (db, { packageId }) =>
  db
    .selectFrom("nuget_packages as p")
    .leftJoin("nuget_search_entries as e", "e.package_id", "p.id")
    .where("p.id", "=", packageId)
    .select([
      "p.owners",
      "p.newest_stable1",
      "p.newest_any1",
      "p.newest_stable2",
      "p.newest_any2",
      "e.version_id",
      "e.filters",
    ]),
);
const POINT = defineStatement(
  "nuget-newest-set",
  {
    ...PACKAGE,
    newestStable1: param.optional(param.whole),
    newestAny1: param.optional(param.whole),
    newestStable2: param.optional(param.whole),
    newestAny2: param.optional(param.whole),
  },
  (db, { packageId, ...newest }) =>
    db
      .updateTable("nuget_packages")
      .set({
        newest_stable1: newest.newestStable1,
        newest_any1: newest.newestAny1,
        newest_stable2: newest.newestStable2,
        newest_any2: newest.newestAny2,
      })
      .where("id", "=", packageId),
);
const TO_INDEX = defineStatement("nuget-version-to-index", VERSION, (db, { versionId }) =>
  db
    .selectFrom("nuget_versions")
    .where("id", "=", versionId)
    .select(["display_id", "details", "target_frameworks", "dependency_ids"]),
);
type VersionRow = RowOf<typeof TO_INDEX>;
const INSERT = defineStatement("nuget-entry-insert", ENTRY, (db, entry) =>
  db.insertInto("nuget_search_entries").values(entry),
);
const UPDATE = defineStatement(
  "nuget-entry-filters",
  { ...VERSION, filters: param.longText },
  (db, { versionId, filters }) =>
    db.updateTable("nuget_search_entries").set({ filters }).where("version_id", "=", versionId),
);
const DROP = defineStatement("nuget-entry-drop", VERSION, (db, { versionId }) =>
  db.deleteFrom("nuget_search_entries").where("version_id", "=", versionId),
);
const DEPENDENCIES = defineStatement("nuget-dependencies-standing", PACKAGE, (db, { packageId }) =>
  db.selectFrom("nuget_dependencies").where("package_id", "=", packageId).select("dependency_id"),
);
const DROP_DEPENDENCIES = defineStatement("nuget-dependencies-drop", PACKAGE, (db, { packageId }) =>
  db.deleteFrom("nuget_dependencies").where("package_id", "=", packageId),
);
const ADD_DEPENDENCIES = defineStatement(
  "nuget-dependencies-add",
  { ...PACKAGE, dependencies: param.records },
  (db, { packageId, dependencies }, own) =>
    db
      .insertInto("nuget_dependencies")
      .columns(["package_id", "dependency_id"])
      .expression(
        db
          .selectFrom(own.records(dependencies, { id: "text" }).as("added"))
          .select([sql<number>`${packageId}`.as("package_id"), "added.id"]),
      ),
);

/** Notes the newest versions of a package and brings its entries up to date. `rewritten`: a version
 * whose content is another. */
export async function refreshSearchIndex(
  unit: IndexUnit,
  packageId: number,
  changed: { readonly newest: NewestVersions; readonly rewritten?: number },
): Promise<void> {
  const { queries } = unit;
  const { newest, rewritten } = changed;
  const wantedWays = waysByVersion(newest);
  const standing = await queries.all(STANDING, { packageId });
  const [firstRow] = standing;
  const before = firstRow ? newestIn(firstRow) : NONE;
  if (SEARCH_WAYS.some(({ property }) => before[property] !== newest[property])) {
    await queries.run(POINT, { packageId, ...newest });
  }
  const owners = ownersOf(firstRow);
  const keptIds = new Set<number>();
  for (const { version_id: versionId, filters } of standing) {
    if (versionId === null || filters === null) continue;
    const ways = wantedWays.get(versionId);
    if (!ways || versionId === rewritten) await queries.run(DROP, { versionId });
    else {
      keptIds.add(versionId);
      const current = filtersOf([...ways, ...owners.map(ownerWord)], ownFilters(filters));
      if (current !== filters) await queries.run(UPDATE, { versionId, filters: current });
    }
  }
  const rows = new Map<number, VersionRow | undefined>();
  for (const [versionId, ways] of wantedWays) {
    if (keptIds.has(versionId)) continue;
    rows.set(versionId, await addEntry(unit, { packageId, versionId, ways, owners }));
  }
  const current = currentOf(newest);
  const isSame = current === currentOf(before) && (current === null || keptIds.has(current));
  if (!isSame) await refreshDependencies(unit, packageId, { current, rows });
}

/** The version whose dependencies count as the package's. */
export function currentOf({ newestStable2, newestAny2 }: NewestVersions): number | null {
  return newestStable2 ?? newestAny2;
}

const NONE: NewestVersions = {
  newestStable1: null,
  newestAny1: null,
  newestStable2: null,
  newestAny2: null,
};

/** Reads the columns of `nuget_packages` with the newest versions. */
export function newestIn(row: NewestColumns): NewestVersions {
  return {
    newestStable1: row.newest_stable1,
    newestAny1: row.newest_any1,
    newestStable2: row.newest_stable2,
    newestAny2: row.newest_any2,
  };
}

function ownersOf(row: RowOf<typeof STANDING> | undefined): readonly string[] {
  return listedOwners(row?.owners ?? null);
}

function waysByVersion(newest: NewestVersions): ReadonlyMap<number, readonly string[]> {
  const wordEntries = SEARCH_WAYS.flatMap(({ property, word }) => {
    const versionId = newest[property];
    return versionId === null ? [] : [{ versionId, word }];
  });
  const groups = Map.groupBy(wordEntries, ({ versionId }) => versionId);
  return new Map([...groups].map(([id, group]) => [id, group.map(({ word }) => word)]));
}

export type NewEntry = {
  readonly packageId: number;
  readonly versionId: number;
  /** The words of `SEARCH_WAYS`. */
  readonly ways: readonly string[];
  readonly owners: readonly string[];
};

/** Returns the row of the version. */
async function addEntry({ queries }: IndexUnit, entry: NewEntry): Promise<VersionRow | undefined> {
  const row = await queries.one(TO_INDEX, { versionId: entry.versionId });
  if (row) await queries.run(INSERT, entryRow(entry, indexableOf(row)));
  return row;
}

/** A row of `nuget_search_entries`. */
export function entryRow(
  { packageId, versionId, ways, owners }: NewEntry,
  version: Omit<Indexable, "owners">,
): Values<typeof ENTRY> {
  const words = indexedWords({ ...version, owners: [] });
  return {
    version_id: versionId,
    package_id: packageId,
    filters: filtersOf([...ways, ...owners.map(ownerWord)], words.filters),
    id_words: words.idWords,
    id_parts: words.idParts,
    title: words.title,
    tags: words.tags,
    authors: words.authors,
    summary: words.summary,
    description: words.description,
  };
}

function indexableOf(row: VersionRow): Omit<Indexable, "owners"> {
  const { display_id: id, details, target_frameworks: frameworks } = row;
  return { id, details, targetFrameworks: frameworks === null ? undefined : textList(frameworks) };
}

/** `own` has its spaces around it. */
function filtersOf(changing: readonly string[], own: string): string {
  return spaced(changing).trimEnd() + OWN_FILTERS + own.trimStart();
}

function ownFilters(filters: string): string {
  return filters.slice(filters.indexOf(OWN_FILTERS) + OWN_FILTERS.length);
}

/** `rows`: those that have been read. */
async function refreshDependencies(
  { queries }: IndexUnit,
  packageId: number,
  {
    current,
    rows,
  }: {
    readonly current: number | null;
    readonly rows: ReadonlyMap<number, VersionRow | undefined>;
  },
): Promise<void> {
  const row =
    current === null
      ? undefined
      : (rows.get(current) ?? (await queries.one(TO_INDEX, { versionId: current })));
  const wantedIds = row ? dependencyIds(row) : [];
  const standingRows = await queries.all(DEPENDENCIES, { packageId });
  const standing = new Set(standingRows.map((standingRow) => standingRow.dependency_id));
  if (standing.size === wantedIds.length && wantedIds.every((id) => standing.has(id))) return;
  if (standing.size > 0) await queries.run(DROP_DEPENDENCIES, { packageId });
  if (wantedIds.length === 0) return;
  const dependencies = wantedIds.map((id) => ({ id }));
  await queries.run(ADD_DEPENDENCIES, { packageId, dependencies });
}

function dependencyIds({ dependency_ids: json, details }: VersionRow): readonly string[] {
  const ids = json === null ? idsInDetails(details) : textList(json);
  return [...new Set(ids)].filter((id) => id.length <= DEPENDENCY_ID_LENGTH_MAX);
}

function idsInDetails(details: string): readonly string[] {
  const { dependencyGroups } = parseDetails({ details });
  return dependencyGroups.flatMap((group) => group.dependencies.map(({ id }) => id.toLowerCase()));
}
