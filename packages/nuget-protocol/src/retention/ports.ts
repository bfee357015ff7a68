import type { Caller } from "@sealhouse/request-types";
import type { PackageLifecycle, PackageRecorder } from "../ports.ts";

/** Candidates for retention, package by package. */
export interface RetentionPackages {
  /** Packages that have prereleases published here, in the order of their lower-cased ids; `after`
   * is the last id of the page before, or "" for the first. A page shorter than `limit` is the
   * last. */
  page(after: string, limit: number): Promise<readonly RetentionPackage[]>;
}

/** The prereleases of one package. */
export type RetentionPackage = {
  /** Lower case. */
  readonly id: string;
  /** Its prereleases of origin `Published`, listed or not, in any order. */
  readonly versions: readonly RetentionVersion[];
};

/** One prerelease of a package. */
export type RetentionVersion = {
  /** Normal form, in the author's casing. */
  readonly version: string;
  readonly listed: boolean;
  readonly publishedAt: Date;
};

/** Ports of a retention run. */
export type RetentionPorts = {
  readonly packages: RetentionPackages;
  readonly lifecycle: Pick<PackageLifecycle, "delete">;
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
  /** Versions the rules chose. */
  readonly candidates: number;
  /** Versions that were deleted or unlisted; the others had gone before. */
  readonly removed: number;
};
