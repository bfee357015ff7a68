import type { DocumentStore } from "@sealhouse/http-responses";
import type { Deprecation } from "../stored-package.ts";

/** What read-only views as of a time need. */
export type PackageViews = {
  readonly past: PackagePast;
  /** Documents of views. Their addresses are unlimited, so they must not become rows. */
  readonly documents: DocumentStore;
};

/** The history of packages. Ids and versions are lower-cased. */
export interface PackagePast {
  /** The versions that were here at a time; with `version`, only that one. */
  versions(id: string, time: Date, version?: string): Promise<readonly PastVersion[]>;
  /** When the history of this protocol begins; undefined while it is empty. May give any time up to
   * `time` where it begins before that. */
  beginning(time: Date): Promise<Date | undefined>;
}

/** A version as it was at a time. */
export type PastVersion = {
  readonly version: string;
  readonly listed: boolean;
  readonly deprecation?: Deprecation;
  /** Whether it is here today, with the same bytes. */
  readonly isKept: boolean;
  /** When it was deleted or got other bytes. */
  readonly until?: Date;
};
