import type { DocumentStore } from "@sealhouse/http-responses";
import type { Deprecation, PackageRecord, StoredPackage } from "../stored-package.ts";

/** Ports of read-only views as of a time. */
export type PackageViews = {
  readonly past: PackagePast;
  /** Documents of views. Views are unlimited, so their documents must not become rows. */
  readonly documents: DocumentStore;
};

/** The history of packages. Ids and versions are lower-cased. */
export interface PackagePast {
  /** The versions that existed at a time. */
  versions(id: string, time: Date): Promise<readonly PastVersion[]>;
  /** One version; undefined when it did not exist then. */
  version(id: string, version: string, time: Date): Promise<PastBytes | undefined>;
  /** The versions of a time that were deleted or replaced since and whose bytes are still here;
   * only one of them with `version`. */
  kept(id: string, time: Date, version?: string): Promise<readonly KeptPackage[]>;
  /** When the history begins; undefined while it is empty. May return any time up to `time` if it
   * begins before that. */
  beginning(time: Date): Promise<Date | undefined>;
}

/** The facts about a version at a time. */
export type PastVersion = PastBytes & {
  readonly version: string;
  readonly listed: boolean;
  readonly deprecation?: Deprecation;
};

/** The bytes of a version at a time. */
export type PastBytes = {
  /** Whether it still exists, with the same bytes. */
  readonly isKept: boolean;
  /** When it was deleted or got other bytes. */
  readonly until?: Date;
};

/** A version that only views show. */
export type KeptPackage = { readonly record: PackageRecord; readonly stored: StoredPackage };
