import type { Caller } from "@sealhouse/request-types";
import type { NamedBlob, NewNpmVersion } from "../npm-version.ts";

/** Maximum number of staged versions of all packages together, so a list needs no cursor. */
export const STAGED_MAX = 10_000;

/** Maximum number of staged versions of one publisher, in all packages together, so that a single
 * token cannot reach `STAGED_MAX` for all others. Expired versions do not count. */
export const STAGED_PER_PUBLISHER_MAX = 1_000;

/** A submitted version that waits for approval. */
export type StagedVersion = {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The tags it gets with its approval; at least one. */
  readonly tags: readonly string[];
  /** SRI: `sha512-…`. */
  readonly integrity: string;
  /** SHA-1, lower-case hex. */
  readonly shasum: string;
  /** Who handed it in. */
  readonly actor: string;
  readonly createdAt: Date;
  /** It can be approved until then. */
  readonly expiresAt: Date;
};

/** All of a version that is known before it is published. */
export type NewStagedVersion = Omit<NewNpmVersion, "publishedAt" | "signatures">;

/** Times and limits of a staged version. */
export type StagingTerms = {
  readonly stagedAt: Date;
  readonly expiresAt: Date;
  /** Versions of one package that may wait at a time. */
  readonly perPackage: number;
  /** Versions of one publisher that may wait at a time. Default: `STAGED_PER_PUBLISHER_MAX`. */
  readonly perPublisher?: number;
};

/** Result of staging a version. */
export type Staging =
  /** `replayed`: the same actor handed in the same bytes and tags before, and they wait still.
   * `isDuplicate`: the bytes already had a name, so the new copy is not needed. */
  | { readonly status: "staged"; readonly id: string; readonly isDuplicate: boolean }
  | { readonly status: "replayed"; readonly id: string }
  /** Something else waits under this version already. */
  | { readonly status: "waiting"; readonly id: string; readonly actor: string }
  /** `full`: too many versions of the package wait; `publisher-full`: too many of the caller;
   * `crowded`: too many of all packages. */
  | { readonly status: "full" | "publisher-full" | "crowded" }
  /** As a publish would end. */
  | { readonly status: "exists" | "deleted" }
  | { readonly status: "reserved"; readonly until: Date };

/**
 * Versions that wait for approval. No client can read them, and they do not reserve their number:
 * it can be published, or unpublished, in the meantime. Their bytes are referenced, so no sweep
 * deletes them. `NpmRecorder.release`, `reject` and `expire` remove them. Expired versions count as
 * removed, even before the sweep. Each change and its event are one transaction.
 */
export interface NpmStaging {
  stage(version: NewStagedVersion, terms: StagingTerms, caller: Caller): Promise<Staging>;
  /** Versions of one package or all, newest first. */
  list(name?: string): Promise<readonly StagedVersion[]>;
  find(id: string): Promise<(StagedVersion & { readonly blob: NamedBlob }) | undefined>;
  /** The submitted version, in the form in which it will be published. */
  details(id: string): Promise<NewStagedVersion | undefined>;
  reject(id: string, caller: Caller): Promise<"rejected" | "absent">;
}

/** Queries of a job, over the versions of all protocols. */
export interface StagedExpiry {
  /** Removes at most this number of expired versions; returns how many it removed. */
  expire(atMost: number): Promise<number>;
}
