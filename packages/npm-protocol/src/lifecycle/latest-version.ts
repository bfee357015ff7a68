import compare from "semver/functions/compare.js";
import prerelease from "semver/functions/prerelease.js";

/** Where `latest` goes when its version is gone: the highest stable version, or the highest of all
 * where none is stable. Undefined for no versions. */
export function latestOf(versions: readonly string[]): string | undefined {
  const stable = versions.filter((version) => prerelease(version) === null);
  return (stable.length > 0 ? stable : versions).toSorted(compare).at(-1);
}
