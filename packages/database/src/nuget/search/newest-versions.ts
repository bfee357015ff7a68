import type { ListedVersion } from "../statements/version-for-update.ts";
import { ascendingVersions } from "@sealhouse/nuget-protocol";
import { sql } from "#kysely";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import { refreshSearchIndex } from "./search-index.ts";
import type { IndexUnit, NewestVersions } from "./search-index.ts";
import { SEARCH_WAYS } from "./search-ways.ts";

/** Which versions pass each way to search. */
const PASSES: Readonly<Record<keyof NewestVersions, (listedVersion: ListedVersion) => boolean>> = {
  newestStable1: (version) => !version.isPrerelease && !version.isSemVer2,
  newestAny1: (version) => !version.isSemVer2,
  newestStable2: (version) => !version.isPrerelease,
  newestAny2: () => true,
};

const PACKAGE = { packageId: param.whole };
const COLUMNS = ["v.id", "v.version", "v.is_prerelease", "v.is_sem_ver2"] as const;

const NEWEST = defineStatement("nuget-newest", PACKAGE, (db, { packageId }) =>
  db
    .selectFrom("nuget_packages as p")
    .innerJoin("nuget_versions as v", (join) =>
      join.on((row) =>
        row("v.id", "in", [
          row.ref("p.newest_stable1"),
          row.ref("p.newest_any1"),
          row.ref("p.newest_stable2"),
          row.ref("p.newest_any2"),
        ]),
      ),
    )
    .where("p.id", "=", packageId)
    .select(COLUMNS),
);
const LISTED = defineStatement("nuget-listed", PACKAGE, (db, { packageId }, own) =>
  db
    .selectFrom("nuget_versions as v")
    .where("v.package_id", "=", packageId)
    .where("v.listed", "=", own.yes)
    .where("v.origin", "<>", sql.lit("Cached"))
    .select(COLUMNS),
);

// Every change of a package's versions must call one of these functions in its transaction. They
// update the newest versions and the search index.

/**
 * Call after a version was added or relisted. It is compared only with the newest versions, because
 * a package may have thousands.
 */
export async function noteListed(
  unit: IndexUnit,
  packageId: number,
  added: ListedVersion,
): Promise<void> {
  const candidates = [...(await unit.queries.all(NEWEST, { packageId })).map(versionOf), added];
  await refreshSearchIndex(unit, packageId, { newest: newestOf(candidates) });
}

/** Call after a version was unlisted or deleted. It examines all remaining versions. */
export async function noteUnlisted(unit: IndexUnit, packageId: number): Promise<void> {
  await refreshSearchIndex(unit, packageId, {
    newest: newestOf(await listedVersions(unit, packageId)),
  });
}

/** After a version got other content: it may pass other ways than before, and has other words. */
export async function noteReplaced(
  unit: IndexUnit,
  packageId: number,
  versionId: number,
): Promise<void> {
  const newest = newestOf(await listedVersions(unit, packageId));
  await refreshSearchIndex(unit, packageId, { newest, rewritten: versionId });
}

/** After the package got another owner, when no listed version came with him. */
export async function noteOwners(unit: IndexUnit, packageId: number): Promise<void> {
  const newest = newestOf((await unit.queries.all(NEWEST, { packageId })).map(versionOf));
  await refreshSearchIndex(unit, packageId, { newest });
}

async function listedVersions(
  { queries }: IndexUnit,
  packageId: number,
): Promise<readonly ListedVersion[]> {
  return (await queries.all(LISTED, { packageId })).map(versionOf);
}

/** Returns the newest version for each search way. */
export function newestOf(versions: readonly ListedVersion[]): NewestVersions {
  const sorted = ascendingVersions(versions);
  const [stable1, any1, stable2, any2] = SEARCH_WAYS.map(
    ({ property }) => sorted.findLast(PASSES[property])?.id ?? null,
  );
  return {
    newestStable1: stable1 ?? null,
    newestAny1: any1 ?? null,
    newestStable2: stable2 ?? null,
    newestAny2: any2 ?? null,
  };
}

function versionOf(row: RowOf<typeof NEWEST>): ListedVersion {
  return {
    id: row.id,
    version: row.version,
    isPrerelease: row.is_prerelease,
    isSemVer2: row.is_sem_ver2,
  };
}
