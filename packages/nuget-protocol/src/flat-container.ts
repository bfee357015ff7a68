import type { VersionSummary } from "./ports.ts";

/**
 * Every version of a package, listed or not, in the form of its download address. This is all that
 * a restore asks. `versions` ascending; undefined for a package without any.
 */
export function versionsDocument(
  versions: readonly Pick<VersionSummary, "version">[],
): object | undefined {
  if (versions.length === 0) return undefined;
  return { versions: versions.map(({ version }) => version.toLowerCase()) };
}
