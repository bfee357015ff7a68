import type { PackageVersion } from "../notation/package-version.ts";
import { parsePackageVersion } from "../notation/package-version.ts";
import type { VersionRange } from "../notation/version-range.ts";
import { parseVersionRange, rangeContains } from "../notation/version-range.ts";
import type { Advisory } from "./ports.ts";

/** Those of a package's advisories that are about this version. One whose range cannot be read is
 * about none, and so is a text that is no version. */
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
  const known = ranges.get(advisory);
  if (known) return known;
  const range = parseVersionRange(advisory.versions);
  if (range) ranges.set(advisory, range);
  return range;
}
