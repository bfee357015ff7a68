import type { DocumentStore } from "@sealhouse/http-responses";
import type { NamedBlob, NpmVersion } from "../npm-version.ts";
import type { Maintainer } from "../owners/ports.ts";

/** Ports of read-only views as of a time. */
export type NpmViews = {
  readonly past: NpmPast;
  /** Documents of views. Views are unlimited, so their documents must not become rows. */
  readonly documents: DocumentStore;
};

/** The history of packages. */
export interface NpmPast {
  /** Undefined when the package had no version then. */
  find(name: string, time: Date): Promise<PastPackage | undefined>;
  /** One version; undefined when it did not exist then. */
  version(name: string, version: string, time: Date): Promise<PastNpmVersion | undefined>;
  /** The versions of a time that were unpublished since and whose tarballs are still here; only one
   * of them with `version`. */
  kept(name: string, time: Date, version?: string): Promise<readonly KeptNpmVersion[]>;
  /** When the history begins; undefined while it is empty. May return any time up to `time` if it
   * begins before that. */
  beginning(time: Date): Promise<Date | undefined>;
}

/** The facts about a package at a time. */
export type PastPackage = {
  readonly versions: ReadonlyMap<string, PastNpmVersion>;
  readonly distTags: Readonly<Record<string, string>>;
  /** Absent for a package that had no owners yet. */
  readonly maintainers?: readonly Maintainer[];
  /** When the newest of these facts began. */
  readonly changedAt: Date;
};

/** The facts about a version at a time. */
export type PastNpmVersion = {
  readonly integrity: string;
  readonly deprecated?: string;
  /** When it was unpublished. */
  readonly until?: Date;
};

/** A version that only views show. */
export type KeptNpmVersion = {
  readonly version: NpmVersion;
  readonly tarball: NamedBlob & { readonly integrity: string };
};
