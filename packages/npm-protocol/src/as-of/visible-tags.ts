import compare from "semver/functions/compare.js";
import prerelease from "semver/functions/prerelease.js";

/** Returns the `os` and `cpu` of a version as text; undefined when they are unknown. */
export type PlatformOf = (version: string) => string | undefined;

/**
 * Chooses the tags of documents that show only some versions. Tags of hidden versions are left out,
 * except `latest`: it moves to the highest visible version below its own, stable if that was
 * stable, and for the same platforms. "The newest by date" would give an old branch or another
 * platform.
 */
export function visibleTags(
  distTags: Readonly<Record<string, string>>,
  versions: readonly string[],
  platformOf: PlatformOf = () => undefined,
): Readonly<Record<string, string>> {
  const visible = new Set(versions);
  const tags = Object.entries(distTags).filter(([, version]) => visible.has(version));
  const { latest } = distTags;
  if (latest === undefined || visible.has(latest)) return Object.fromEntries(tags);
  const fallback = highestBelow(latest, versions, platformOf);
  return Object.fromEntries(fallback === undefined ? tags : [...tags, ["latest", fallback]]);
}

function highestBelow(
  latest: string,
  versions: readonly string[],
  platformOf: PlatformOf,
): string | undefined {
  const isStable = prerelease(latest) === null;
  const platform = platformOf(latest);
  return versions
    .filter((version) => compare(version, latest) < 0)
    .filter((version) => !isStable || prerelease(version) === null)
    .filter((version) => platform === undefined || platformOf(version) === platform)
    .toSorted(compare)
    .at(-1);
}
