import { latestOf } from "../lifecycle/latest-version.ts";
import type { NpmPackage } from "../ports.ts";

/** A package as installers see it. */
export type InstallablePackage = NpmPackage & {
  /** Versions left out of `versions`, in order of publication. */
  readonly omitted: readonly string[];
};

/**
 * Returns the package without the versions whose tarball is missing or damaged. npm publishes a
 * version again only when the packument does not list it. `latest` falls back to the highest
 * remaining stable version; other tags of omitted versions are left out. The stored tags stay.
 */
export function installablePackage(found: NpmPackage): InstallablePackage {
  const versions = found.versions.filter(({ isDamaged }) => !isDamaged);
  const omitted = found.versions.flatMap(({ version, isDamaged }) => (isDamaged ? [version] : []));
  if (omitted.length === 0) return { ...found, omitted };
  const distTags = Object.entries(found.distTags).filter(([, version]) => {
    return !omitted.includes(version);
  });
  const latest = found.distTags["latest"];
  if (latest !== undefined && omitted.includes(latest)) {
    const fallback = latestOf(versions.map(({ version }) => version));
    if (fallback !== undefined) distTags.push(["latest", fallback]);
  }
  return { ...found, versions, distTags: Object.fromEntries(distTags), omitted };
}
