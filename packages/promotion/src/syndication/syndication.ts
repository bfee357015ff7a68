import { parsePackageVersion } from "@sealhouse/nuget-protocol";
import { coversName } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import type { PackageGroup } from "../group/package-group.ts";
import { textPattern } from "../group/text-pattern.ts";

/** Publishes what is uploaded here to a target, without a command. */
export type Syndication = {
  /** Unique without regard to letter case; as `TARGET_NAME` allows. */
  readonly name: string;
  readonly from: SyndicationSource;
  /** Name of the target. */
  readonly target: string;
  readonly isEnabled: boolean;
  readonly filter: SyndicationFilter;
};

/** Names that are published: those of the members of a group, or those that match a pattern. */
export type SyndicationSource =
  | { readonly type: "group"; readonly group: string }
  | { readonly type: "pattern"; readonly protocol: Protocol; readonly pattern: string };

/** Uploads that are published. */
export type SyndicationFilter = {
  /** Whether prereleases are published, and tags of images that are not versions. */
  readonly prerelease: boolean;
  /** Text that the version or tag matches, with `*` for any text; undefined: all. */
  readonly version?: string;
};

/** A version that was uploaded here. */
export type Upload = {
  readonly protocol: Protocol;
  readonly name: string;
  /** The version; of an image the tag. */
  readonly version: string;
};

/** Whether a syndication publishes an upload. */
export function isSyndicated(
  { from, filter }: Pick<Syndication, "from" | "filter">,
  upload: Upload,
  groups: readonly PackageGroup[],
): boolean {
  return covers(from, upload, groups) && passes(filter, upload);
}

function covers(
  from: SyndicationSource,
  { protocol, name }: Upload,
  groups: readonly PackageGroup[],
): boolean {
  if (from.type === "pattern") {
    return from.protocol === protocol && coversName(from.pattern, protocol, name);
  }
  const group = groups.find((known) => known.name.toLowerCase() === from.group.toLowerCase());
  return (
    group?.members.some(
      (member) => member.protocol === protocol && coversName(member.pattern, protocol, name),
    ) ?? false
  );
}

function passes({ prerelease, version: wanted }: SyndicationFilter, { version }: Upload): boolean {
  const parsed = parsePackageVersion(version.replace(/^v(?=\d)/, ""));
  if (!prerelease && (parsed?.isPrerelease ?? true)) return false;
  return wanted === undefined || textPattern(wanted)(version);
}
