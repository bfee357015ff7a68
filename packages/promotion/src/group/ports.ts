import type { Caller, Protocol } from "@sealhouse/request-types";
import type { ReleaseMember } from "../model/release.ts";
import type { VersionChoice } from "./choose-version.ts";
import type { PackageGroup } from "./package-group.ts";

/** Rows of groups. Each change and its event `group.changed` are one transaction. */
export interface GroupRows {
  list(): Promise<readonly PackageGroup[]>;
  /** Adds the group, or replaces the one with its name. Names ignore letter case. */
  put(group: PackageGroup, caller: Caller): Promise<void>;
  /** `used`: a syndication has the group. */
  remove(name: string, caller: Caller): Promise<"removed" | "used" | "absent">;
}

/** The packages of this registry, as a release chooses among them. */
export interface MemberCatalog {
  /** Names that match a pattern, in order; at most `limit`. */
  names(protocol: Protocol, pattern: string, limit: number): Promise<readonly string[]>;
  /** Versions that exist and are not withheld; of images the tags. */
  versions(protocol: Protocol, name: string): Promise<readonly VersionChoice[]>;
  /** The version with its digests; undefined when it no longer exists. */
  describe(
    protocol: Protocol,
    name: string,
    choice: VersionChoice,
  ): Promise<ReleaseMember | undefined>;
  /** Where tags point now: by tag a version, of images a digest. Tags that do not exist are left
   * out. */
  tagged(
    member: Pick<ReleaseMember, "protocol" | "name" | "tags">,
  ): Promise<ReadonlyMap<string, string>>;
  /** Why a member may no longer be released: it was deleted, unlisted or denied. */
  withdrawal(member: ReleaseMember): Promise<string | undefined>;
}
