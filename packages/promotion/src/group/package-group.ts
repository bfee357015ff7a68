import type { Protocol } from "@sealhouse/request-types";

/**
 * The version of a member that a release takes. `latest-stable`: the highest listed version that is
 * not a prerelease. `latest`: the highest listed version. `latest-tag`: the version of the tag
 * `latest`. `pattern`: the highest listed version that matches, such as `1.2.*`. `exact`: that
 * version, tag or digest.
 */
export type VersionRule =
  | { readonly type: "latest-stable" | "latest" | "latest-tag" }
  | { readonly type: "pattern" | "exact"; readonly text: string };

/** A package, or all packages whose names match a pattern. */
export type GroupMember = {
  readonly protocol: Protocol;
  /** A name, or a pattern as in tokens: `Acme.*`, `@acme/*`, `team/**`. */
  readonly pattern: string;
  readonly rule: VersionRule;
};

/** Packages that are released together, and the targets that they go to. */
export type PackageGroup = {
  /** Unique without regard to letter case; as `TARGET_NAME` allows. */
  readonly name: string;
  readonly members: readonly GroupMember[];
  /** Names of targets. */
  readonly targets: readonly string[];
};

/** Names differ without regard to letter case. */
export function groupNamed(
  groups: readonly PackageGroup[],
  name: string,
): PackageGroup | undefined {
  return groups.find((group) => group.name.toLowerCase() === name.toLowerCase());
}
