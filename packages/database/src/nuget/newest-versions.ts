import { ascendingVersions } from "@sealhouse/nuget-protocol";
import type { Unit } from "../transactions/unit-of-work.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { flagOf, numberOf, textOf } from "../raw/row.ts";
import { refreshSearchIndex } from "./search-index.ts";
import type { NewestVersions } from "./search-index.ts";
import { SEARCH_WAYS } from "./search-ways.ts";

export type ListedVersion = {
  readonly id: number;
  readonly version: string;
  readonly isPrerelease: boolean;
  readonly isSemVer2: boolean;
};

/** Which versions pass each way to search. */
const PASSES: Readonly<Record<keyof NewestVersions, (one: ListedVersion) => boolean>> = {
  newestStable1: (one) => !one.isPrerelease && !one.isSemVer2,
  newestAny1: (one) => !one.isSemVer2,
  newestStable2: (one) => !one.isPrerelease,
  newestAny2: () => true,
};

const VERSION_COLUMNS = "v.id, v.version, v.is_prerelease, v.is_sem_ver2";
const NEWEST: Statement = {
  name: "nuget-newest",
  sql: `select ${VERSION_COLUMNS} from nuget_packages p join nuget_versions v
    on v.id in (p.newest_stable1, p.newest_any1, p.newest_stable2, p.newest_any2)
    where p.id = ?`,
};
const LISTED: Statement = {
  name: "nuget-listed",
  sql: `select ${VERSION_COLUMNS} from nuget_versions v where v.package_id = ? and v.listed = ?`,
};

// Every change of a package's versions must call one of these functions in its transaction. They
// update the newest versions and the search index.

/**
 * Call after a version was added or relisted. It is compared only with the newest versions, because
 * a package may have thousands.
 */
export async function noteListed(
  unit: Unit,
  packageId: number,
  added: ListedVersion,
): Promise<void> {
  const candidates = [...(await unit.read(NEWEST, [packageId])).map(versionOf), added];
  await refreshSearchIndex(unit, packageId, { newest: newestOf(candidates) });
}

/** Call after a version was unlisted or deleted. It examines all remaining versions. */
export async function noteUnlisted(unit: Unit, packageId: number): Promise<void> {
  await refreshSearchIndex(unit, packageId, {
    newest: newestOf(await listedVersions(unit, packageId)),
  });
}

/** After a version got other content: it may pass other ways than before, and has other words. */
export async function noteReplaced(
  unit: Unit,
  packageId: number,
  versionId: number,
): Promise<void> {
  const newest = newestOf(await listedVersions(unit, packageId));
  await refreshSearchIndex(unit, packageId, { newest, rewritten: versionId });
}

/** After the package got another owner, when no listed version came with him. */
export async function noteOwners(unit: Unit, packageId: number): Promise<void> {
  const newest = newestOf((await unit.read(NEWEST, [packageId])).map(versionOf));
  await refreshSearchIndex(unit, packageId, { newest });
}

async function listedVersions(unit: Unit, packageId: number): Promise<readonly ListedVersion[]> {
  return (await unit.read(LISTED, [packageId, true])).map(versionOf);
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

function versionOf(row: Row): ListedVersion {
  return {
    id: numberOf(row, "id"),
    version: textOf(row, "version"),
    isPrerelease: flagOf(row, "is_prerelease"),
    isSemVer2: flagOf(row, "is_sem_ver2"),
  };
}
