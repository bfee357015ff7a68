import { compareVersionTexts } from "@sealhouse/nuget-protocol";
import { NuGetPackage } from "../entities/nuget.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { flagOf, numberOf, textOf } from "../raw/row.ts";

export type ListedVersion = {
  readonly id: number;
  readonly version: string;
  readonly isPrerelease: boolean;
  readonly isSemVer2: boolean;
};

/** The four ways a search can ask, and which versions pass each. */
const WAYS = [
  ["newestStable1", (one: ListedVersion) => !one.isPrerelease && !one.isSemVer2],
  ["newestAny1", (one: ListedVersion) => !one.isSemVer2],
  ["newestStable2", (one: ListedVersion) => !one.isPrerelease],
  ["newestAny2", () => true],
] as const;

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

type Newest = Partial<Record<(typeof WAYS)[number][0], number | null>>;

/** After a version was added or listed again: it is compared with the newest so far only, because
 * a package may have thousands of versions. */
export async function noteListed(
  { catalog, read }: Unit,
  packageId: number,
  added: ListedVersion,
): Promise<void> {
  const candidates = [...(await read(NEWEST, [packageId])).map(versionOf), added];
  await catalog.nativeUpdate(NuGetPackage, { id: packageId }, newestOf(candidates));
}

/** After a version was unlisted: the newest are looked for among all that are left. */
export async function noteUnlisted({ catalog, read }: Unit, packageId: number): Promise<void> {
  const left = (await read(LISTED, [packageId, true])).map(versionOf);
  await catalog.nativeUpdate(NuGetPackage, { id: packageId }, newestOf(left));
}

/** The newest for one way is the newest of all that pass it, and it is among the candidates: the
 * newest of every way are compared together with what is new. */
function newestOf(versions: readonly ListedVersion[]): Newest {
  const sorted = versions.toSorted((a, b) => compareVersionTexts(a.version, b.version));
  return Object.fromEntries(
    WAYS.map(([column, passes]) => [column, sorted.findLast(passes)?.id ?? null]),
  );
}

function versionOf(row: Row): ListedVersion {
  return {
    id: numberOf(row, "id"),
    version: textOf(row, "version"),
    isPrerelease: flagOf(row, "is_prerelease"),
    isSemVer2: flagOf(row, "is_sem_ver2"),
  };
}
