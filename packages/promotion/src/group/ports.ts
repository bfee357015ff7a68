import type { Caller } from "@sealhouse/request-types";
import type { PackageGroup } from "./package-group.ts";

/** Rows of groups. Each change and its event `group.changed` are one transaction. */
export interface GroupRows {
  list(): Promise<readonly PackageGroup[]>;
  /** Adds the group, or replaces the one with its name. Names ignore letter case. */
  put(group: PackageGroup, caller: Caller): Promise<void>;
  /** `used`: a syndication has the group. */
  remove(name: string, caller: Caller): Promise<"removed" | "used" | "absent">;
}
