import type { Caller } from "@sealhouse/request-types";
import type { NamedBlob, NewNpmVersion } from "../npm-version.ts";

/** Staged versions that a registry keeps at a time, of all packages together: so many can be
 * listed without a cursor. */
export const STAGED_MAX = 10_000;

/** A version that was handed in and waits for somebody to approve it. */
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

export type StagingTerms = {
  readonly stagedAt: Date;
  readonly expiresAt: Date;
  /** Versions of one package that may wait at a time. */
  readonly perPackage: number;
};

export type Staging =
  /** `replayed`: the same actor handed in the same bytes and tags before, and they wait still.
   * `surplus`: the bytes already had a name, so the new copy is not needed. */
  | { readonly status: "staged"; readonly id: string; readonly surplus: boolean }
  | { readonly status: "replayed"; readonly id: string }
  /** Something else waits under this version already. */
  | { readonly status: "waiting"; readonly id: string; readonly actor: string }
  /** `full`: too many versions of the package wait; `crowded`: too many of all packages. */
  | { readonly status: "full" | "crowded" }
  /** As a publish would end. */
  | { readonly status: "exists" | "deleted" }
  | { readonly status: "reserved"; readonly until: Date };

/**
 * Versions that wait for approval. Nobody is served them, and they have not taken their number: it
 * can be published, or unpublished, meanwhile. Their bytes have a name, so no sweep takes them.
 * `NpmRecorder.release` is the way out, with `reject` and `expire`. What has expired is as good as
 * gone, swept or not. Each change and its event are one transaction.
 */
export interface NpmStaging {
  stage(version: NewStagedVersion, terms: StagingTerms, caller: Caller): Promise<Staging>;
  /** Of one package or all, newest first. */
  list(name?: string): Promise<readonly StagedVersion[]>;
  find(id: string): Promise<(StagedVersion & { readonly blob: NamedBlob }) | undefined>;
  /** What was handed in, as it will be published. */
  details(id: string): Promise<NewStagedVersion | undefined>;
  reject(id: string, caller: Caller): Promise<"rejected" | "absent">;
}

/** What a job asks, of the versions of every protocol. */
export interface StagedExpiry {
  /** Removes what has expired, so many at a time; gives how many it removed. */
  expire(atMost: number): Promise<number>;
}
