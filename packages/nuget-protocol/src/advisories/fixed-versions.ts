import { comparePackageVersions, parsePackageVersion } from "../notation/package-version.ts";
import { parseVersionRange } from "../notation/version-range.ts";
import { advisoriesFor } from "./matching.ts";
import type { Advisory } from "./ports.ts";

/**
 * Returns the advisory that a version is the fix of: the advisory affects older versions up to
 * exactly this one, and none of the `known` advisories affects it. Undefined without one.
 */
export function advisoryFixedBy(
  version: string,
  advisories: readonly Advisory[],
  known: readonly Advisory[] = advisories,
): Advisory | undefined {
  const parsed = parsePackageVersion(version);
  if (!parsed) return undefined;
  const fixed = advisories.find(({ versions }) => {
    const upper = parseVersionRange(versions)?.upper;
    return upper?.isInclusive === false && comparePackageVersions(upper.version, parsed) === 0;
  });
  return fixed && advisoriesFor(parsed, known).length === 0 ? fixed : undefined;
}
