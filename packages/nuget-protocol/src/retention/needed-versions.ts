import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { PackageVersion } from "../notation/package-version.ts";
import { comparePackageVersions, parsePackageVersion } from "../notation/package-version.ts";
import type { VersionRange } from "../notation/version-range.ts";
import { parseVersionRange, rangeContains } from "../notation/version-range.ts";
import type { RetentionDependent, RetentionPackage, RetentionPackages } from "./ports.ts";

/** A package of which a run would delete versions. */
export type ReducedPackage = {
  /** All its versions, ascending. */
  readonly versions: readonly PackageVersion[];
  /** Lower case. */
  readonly going: ReadonlySet<string>;
};

/** A package with the versions that a run would delete. */
export function reducedPackage(
  { versions }: RetentionPackage,
  going: readonly { readonly version: string }[],
): ReducedPackage {
  return {
    versions: versions
      .flatMap(({ version }) => parsePackageVersion(version) ?? [])
      .toSorted(comparePackageVersions),
    going: new Set(going.map(({ version }) => version.toLowerCase())),
  };
}

/** The key of a version: `acme/1.0.0-beta.2`, lower case. */
export function retentionKey(id: string, version: string): string {
  return `${id}/${version}`.toLowerCase();
}

const PAGE_VERSIONS = 1_000;

/**
 * Finds versions that other packages need. A range needs the lowest version that it accepts,
 * because NuGet restores that one. Versions that go themselves need nothing, unless a version that
 * stays needs them. Returns for each needed version, by `retentionKey`, a version that needs it.
 */
export async function findNeededVersions(
  packages: Pick<RetentionPackages, "dependents">,
  reduced: ReadonlyMap<string, ReducedPackage>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const needed = new Map<string, string>();
  if (reduced.size === 0) return needed;
  const ids = new Set(reduced.keys());
  // The needs of versions that would be deleted: they count only when such a version stays.
  const needsOfGoing = new Map<string, { readonly by: string; readonly keys: readonly string[] }>();
  const pending: string[] = [];
  const need = (keys: readonly string[], by: string) => {
    for (const key of keys) {
      if (needed.has(key)) continue;
      needed.set(key, by);
      pending.push(key);
    }
  };
  for (let after: number | undefined = 0; after !== undefined;) {
    await yieldToEventLoop();
    signal?.throwIfAborted();
    const page = await packages.dependents(ids, { after, limit: PAGE_VERSIONS });
    for (const dependent of page.dependents) {
      const keys = goingVersionsOf(dependent, reduced);
      const by = `${dependent.id} ${dependent.version}`;
      if (isGoing(dependent, reduced)) {
        needsOfGoing.set(retentionKey(dependent.id, dependent.version), { by, keys });
      } else need(keys, by);
    }
    after = page.next;
  }
  for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
    const next = needsOfGoing.get(key);
    if (next) need(next.keys, next.by);
  }
  return needed;
}

function isGoing(
  { id, version }: Pick<RetentionDependent, "id" | "version">,
  reduced: ReadonlyMap<string, ReducedPackage>,
): boolean {
  return reduced.get(id.toLowerCase())?.going.has(version.toLowerCase()) ?? false;
}

function goingVersionsOf(
  { id: ownId, dependencies }: RetentionDependent,
  reduced: ReadonlyMap<string, ReducedPackage>,
): readonly string[] {
  return dependencies.flatMap(({ id, range: text }) => {
    const lowerId = id.toLowerCase();
    const target = lowerId === ownId.toLowerCase() ? undefined : reduced.get(lowerId);
    const range = target && parseVersionRange(text);
    const version = range && lowestIn(range, target.versions)?.normalized.toLowerCase();
    return version !== undefined && target?.going.has(version)
      ? [retentionKey(lowerId, version)]
      : [];
  });
}

/** `versions` are in ascending order. */
function lowestIn(
  range: VersionRange,
  versions: readonly PackageVersion[],
): PackageVersion | undefined {
  const above = { lower: range.lower };
  let [from, to] = [0, versions.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const version = versions[middle];
    if (version && rangeContains(above, version)) to = middle;
    else from = middle + 1;
  }
  const lowest = versions[from];
  return lowest && rangeContains(range, lowest) ? lowest : undefined;
}
