import type { Caller } from "@sealhouse/request-types";
import type { PackageRecorder } from "../ports.ts";

/** Reads and deletes what retention is about. */
export interface RetentionPackages {
  /** Packages that have prereleases published here, in the order of their lower-cased ids; `after`
   * is the last id of the page before, or "" for the first. A page shorter than `limit` is the
   * last. */
  page(after: string, limit: number): Promise<readonly RetentionPackage[]>;
  /**
   * Reads up to `limit` versions of the whole feed after the position `after` (0 for the first).
   * Returns those that depend on one of `ids` (lower case).
   */
  dependents(
    ids: ReadonlySet<string>,
    page: { readonly after: number; readonly limit: number },
  ): Promise<RetentionDependents>;
  /** Deletes a version permanently, as `PackageLifecycle.delete` does. `kept`: the version was
   * downloaded since it was read, or the package has no other version now. */
  delete(
    id: string,
    seen: Pick<RetentionVersion, "version" | "downloadedAt">,
    caller: Caller,
  ): Promise<"deleted" | "absent" | "kept">;
}

/** All versions of a package. */
export type RetentionPackage = {
  /** Lower case. */
  readonly id: string;
  /** In any order. */
  readonly versions: readonly RetentionVersion[];
};

/** One version of a package. */
export type RetentionVersion = {
  /** Normal form, in the author's casing. */
  readonly version: string;
  /** Whether the version is a prerelease that was published here. Others always stay. */
  readonly isPublishedPrerelease: boolean;
  readonly listed: boolean;
  readonly publishedAt: Date;
  /** Time of the last download, accurate to a minute; undefined: never. */
  readonly downloadedAt?: Date;
};

/** A page of versions with dependencies. */
export type RetentionDependents = {
  readonly dependents: readonly RetentionDependent[];
  /** Position of the next page; undefined after the last. */
  readonly next?: number;
};

/** A version that depends on other packages. */
export type RetentionDependent = {
  /** In the author's casing. */
  readonly id: string;
  readonly version: string;
  readonly dependencies: readonly { readonly id: string; readonly range: string }[];
};

/** Ports of a retention run. */
export type RetentionPorts = {
  readonly packages: RetentionPackages;
  readonly recorder: Pick<PackageRecorder, "setListed">;
  /** Says that a run that changed things has ended. */
  readonly completed: (summary: RetentionSummary, caller: Caller) => Promise<void>;
};

/** Action on chosen versions. */
export type RetentionAction = "Delete" | "Unlist";

/** Totals of a retention run. */
export type RetentionSummary = {
  readonly dryRun: boolean;
  readonly action: RetentionAction;
  /** Packages that were looked at, with those the rules exclude. */
  readonly packages: number;
  /** Versions that the rules select, without those that stay because they are needed. */
  readonly candidates: number;
  /** Versions that were deleted or unlisted; the others were gone, or are needed now. */
  readonly removed: number;
};
