import Range from "semver/classes/range.js";

/** A range of versions as npm reads it: `^1.2.0`, `<3 || 4.x`. */
export type VersionRange = { includes(version: string): boolean };

const LENGTH_MAX = 256;

/** Prereleases are matched by their precedence. Undefined for an invalid range. */
export function parseVersionRange(text: string): VersionRange | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  try {
    const range = new Range(text, { includePrerelease: true });
    return { includes: (version) => range.test(version) };
  } catch {
    return undefined;
  }
}
