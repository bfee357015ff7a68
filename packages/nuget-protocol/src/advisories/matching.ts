import type { PackageVersion } from "../notation/package-version.ts";
import { parsePackageVersion } from "../notation/package-version.ts";
import type { VersionRange } from "../notation/version-range.ts";
import { parseVersionRange, rangeContains } from "../notation/version-range.ts";
import type { Advisory } from "./ports.ts";

/**
 * Advisories of a package that affect this version. An unreadable range and an invalid version
 * match nothing.
 */
export function advisoriesFor(
  version: PackageVersion | string,
  advisories: readonly Advisory[],
): readonly Advisory[] {
  if (advisories.length === 0) return advisories;
  const parsed = typeof version === "string" ? parsePackageVersion(version) : version;
  if (!parsed) return [];
  return advisories.filter((advisory) => {
    const range = rangeOf(advisory);
    return range !== undefined && rangeContains(range, parsed);
  });
}

/** A package's advisories are asked about each of its versions in turn. */
const ranges = new WeakMap<Advisory, VersionRange>();

function rangeOf(advisory: Advisory): VersionRange | undefined {
  const cachedRange = ranges.get(advisory);
  if (cachedRange) return cachedRange;
  const range = parseVersionRange(advisory.versions);
  if (range) ranges.set(advisory, range);
  return range;
}
