import clean from "semver/functions/clean.js";

/** A semantic version in the form that identifies it: no leading `v`, no build metadata. */
export type PackageVersion = string & { readonly packageVersion: unique symbol };

const LENGTH_MAX = 256;

/**
 * `v1.2.3+build` becomes `1.2.3`, because clients disagree about the rest; undefined for ranges,
 * tags and all other invalid versions.
 */
export function parsePackageVersion(text: string): PackageVersion | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  return (clean(text) ?? undefined) as PackageVersion | undefined;
}
