import type { Digest } from "../digest.ts";
import type { RepositoryName } from "../repository-name.ts";

/** A set of repositories that is collected on its own: those under a segment's name, or, for the
 * default surface, those under none of the segments. */
export type Surface =
  | { readonly name: string; readonly segment: string }
  | { readonly name: string; readonly notUnder: readonly string[] };

/** What the collector asks of the catalog. Every method is one transaction, and every one that
 * writes rejects with a `LostLeaseError` when the run's lease has passed to somebody else. */
export interface GarbageCatalog {
  /** Opens a report, and forgets the old ones: those before what `forgottenBefore` says, but for
   * the reviewed one. */
  begin(run: NewRun): Promise<void>;
  /** The repositories of a surface that sort after `after`, in order of their names. */
  repositories(surface: Surface, page: { limit: number; after?: string }): Promise<Repositories>;
  /**
   * Rules R3, R4 and R9 for one repository: writes down the manifests that no root reaches. Roots
   * are tags other than those that name a subject, held digests, and manifests used since
   * `wanted.untaggedSince`; reached are children, referrers of what is reached and what tags name
   * as belonging to it, to a fix point. Resolves to what is broken instead, and writes
   * nothing, when something reached needs what is not there or cannot be read.
   */
  mark(run: RunKey, wanted: RepositoryToMark): Promise<Marked>;
  /** One step of a walk over all links: writes down up to `limit` that no manifest needs but those
   * already written down, and that were not used since. A link was used when it was made and
   * whenever its blob was: blobs alone keep the clock of positive answers. */
  markLinks(run: RunKey, surface: Surface, limit: number): Promise<WalkStep>;
  /** The same for live blobs without links but those already written down. */
  markBlobs(run: RunKey, limit: number): Promise<WalkStep>;
  /** Candidates of a run in the order they were written down. With a reviewed report only those
   * that are in it, too. */
  candidates(run: Pick<RunKey, "id">, page: CandidatePage): Promise<readonly Candidate[]>;
  /**
   * Rule R6: locks the row, asks everything again (no tag, no parent, no subject that is there, no
   * hold, not used since), and takes it away with the tags that name a subject and point to it.
   * `blocked`: a parent, the subject, or what a tag names as the subject (other than itself) is
   * still there, so ask again after those. `stuck`: asking again brought nothing, so a subject
   * blocks only when a root reaches it, going up through parents and subjects: an index may list
   * its own subject, and tags may name each other's manifests. A parent blocks always.
   */
  removeManifest(
    run: RunKey,
    candidate: ManifestCandidate,
    untaggedSince: Date,
    options?: { readonly stuck?: boolean },
  ): Promise<"removed" | "kept" | "blocked">;
  removeLink(run: RunKey, candidate: LinkCandidate): Promise<"removed" | "kept">;
  /** Locks, asks again, and marks the blob as being deleted: from here on it is absent for
   * everybody, and whoever uploads it again gives it another key. */
  claimBlob(run: RunKey, candidate: BlobCandidate): Promise<DyingBlob | "kept">;
  /** Blobs that an earlier run claimed and did not finish with. */
  dying(limit: number, after?: DyingBlob): Promise<readonly DyingBlob[]>;
  /** The object of this key is gone: removes the row if it still is that generation. */
  forgetBlob(run: RunKey, blob: DyingBlob): Promise<void>;
  /** The object could not be deleted; a later run tries again. */
  failBlob(run: RunKey, blob: DyingBlob): Promise<void>;
  /** Closes the report and, unless it was a dry run, writes the event `gc.completed`. When it was
   * aborted, the report keeps no candidates. */
  finish(run: RunKey, end: RunEnd): Promise<void>;
  /** Undefined: there is no such report. */
  report(id: string): Promise<RunReport | undefined>;
  /** The newest first. */
  reports(limit: number): Promise<readonly RunReport[]>;
}

/** Writes carry the fence: a runner that slept too long does nothing any more (rule R10). */
export type RunKey = {
  readonly id: string;
  readonly lease: string;
  readonly fence: number;
  /** The start of the run less the minimum age (rule R5). */
  readonly unusedSince: Date;
};

export type NewRun = RunKey & {
  readonly surface: string;
  readonly dryRun: boolean;
  readonly startedAt: Date;
  /** A report that a person has read: what is not in it stays. */
  readonly reviewed?: string;
};

export type RepositoryToMark = {
  readonly repository: RepositoryName;
  /** Manifests that were used since then stay, tagged or not. `new Date(0)`: all of them. */
  readonly untaggedSince: Date;
};

export type Repositories = readonly RepositoryName[];
export type Tally = { readonly count: number; readonly bytes: number };
/** What a step wrote down: maybe nothing, with `more` to look at all the same. */
export type WalkStep = Tally & { readonly more: boolean };
export type Marked =
  | ({ readonly status: "marked" } & Tally)
  | {
      readonly status: "broken";
      readonly manifest: Digest;
      /** What it needs, when that is what is missing. */
      readonly missing?: Digest;
    };

export type CandidateKind = "manifest" | "link" | "blob";
export type CandidatePage = {
  readonly kind: CandidateKind;
  readonly limit: number;
  readonly after?: Candidate;
  readonly reviewed?: string;
};
type CandidateBase = {
  /** Position in the report. */
  readonly position: number;
  readonly digest: Digest;
  readonly size: number;
  readonly reason: CandidateReason;
  readonly lastUsedAt: Date;
};
export type ManifestCandidate = CandidateBase & {
  readonly kind: "manifest";
  readonly repository: RepositoryName;
};
export type LinkCandidate = CandidateBase & {
  readonly kind: "link";
  readonly repository: RepositoryName;
};
export type BlobCandidate = CandidateBase & { readonly kind: "blob" };
export type Candidate = ManifestCandidate | LinkCandidate | BlobCandidate;

/** `untagged`: no root reaches it. `subject-gone`: a referrer of what is not there. `unneeded`: no
 * manifest of the repository names the blob. `unlinked`: no repository has the blob. */
export type CandidateReason = "untagged" | "subject-gone" | "unneeded" | "unlinked";

export type DyingBlob = { readonly id: number; readonly digest: Digest; readonly key: string };

export type RunEnd = {
  readonly state: "finished" | "aborted" | "stopped";
  readonly finishedAt: Date;
  readonly removed: Tally;
  /** Why it was aborted, in words for people. */
  readonly error?: string;
};

export type RunReport = Omit<NewRun, keyof RunKey> & {
  readonly id: string;
  /** `running` without a runner: it crashed, and the next run goes on with what is left. */
  readonly state: "running" | RunEnd["state"];
  readonly finishedAt?: Date;
  readonly manifests: Tally;
  readonly links: Tally;
  readonly blobs: Tally;
  readonly removed: Tally;
  readonly error?: string;
};

/** Digests that nobody may collect for now, whatever points to them: a promotion that copies them,
 * a fetch from upstream, a lock that an operator set (rules R3, R12). */
export interface Holds {
  /** Renews the hold of the same holder. `until` undefined: until it is released. */
  hold(digests: readonly Digest[], holder: string, until?: Date): Promise<void>;
  release(holder: string): Promise<void>;
}

/** Where the bytes are. Deleting what is not there is fine. */
export interface GarbageFiles {
  delete(key: string): Promise<void>;
}

/** One runner per surface (rule R10). The number rises with every change of holder. */
export interface GarbageLeases {
  acquire(name: string, holder: string, leaseMs: number): Promise<number | undefined>;
  release(name: string, holder: string): Promise<void>;
}

/** The run's lease passed to another runner: this one must stop at once. */
export class LostLeaseError extends Error {
  override name = "LostLeaseError";

  constructor(lease: string) {
    super(`the lease ${lease} passed to another runner, so this one stops`);
  }
}
