import type { Digest } from "../digest.ts";
import type { RepositoryName } from "../repository-name.ts";

/** A set of repositories that is collected on its own: those under a segment's name, or, for the
 * default surface, those under none of the segments. */
export type Surface =
  | { readonly name: string; readonly segment: string }
  | { readonly name: string; readonly notUnder: readonly string[] };

/**
 * What the collector needs from the database, a port for each of its readers. Every method is one
 * transaction. Every method that writes rejects with a `LostLeaseError` when another runner has
 * taken the run's lease (rule R10).
 */
export type GarbageCatalog = {
  readonly runs: GarbageRuns;
  readonly marks: GarbageMarks;
  readonly sweeps: GarbageSweeps;
  readonly reports: GarbageReports;
};

/** Opens and closes the report of a run (rule R11). */
export interface GarbageRuns {
  /** Opens a report and deletes expired ones (`reportExpiry`), except the reviewed one. */
  begin(run: NewRun): Promise<void>;
  /** Closes the report and, unless it was a dry run, writes the event `gc.completed`. An aborted
   * run keeps no candidates in its report. */
  finish(run: RunKey, end: RunEnd): Promise<void>;
}

/** Finds candidates and writes them into the report. */
export interface GarbageMarks {
  /** The repositories of a surface that sort after `after`, in order of their names. */
  repositories(surface: Surface, page: { limit: number; after?: string }): Promise<Repositories>;
  /**
   * Writes down the manifests of one repository that no root reaches (`KEPT_BY`, `KEEPINGS`; rules
   * R3 and R4). Resolves to what is broken instead, and writes nothing, when a reached manifest is
   * incomplete (`SATISFIED_BY`; rule R9).
   */
  mark(run: RunKey, wanted: RepositoryToMark): Promise<Marked>;
  /** One step of a walk over all links: writes down up to `limit` that are unused (rule R8). */
  markLinks(run: RunKey, surface: Surface, limit: number): Promise<WalkStep>;
  /** One step of a walk over all live blobs: writes down up to `limit` that are unused. */
  markBlobs(run: RunKey, limit: number): Promise<WalkStep>;
}

/** Removes candidates, one by one (rule R6). */
export interface GarbageSweeps {
  /**
   * Locks the row, checks again, and removes the manifest with its attached tags. `kept`: it is a
   * root or gone. `blocked`: a manifest that keeps it must go first, so try again after that one.
   * `stuck`: trying again changed nothing, so a keeper that does not always block counts only if
   * a root reaches it.
   */
  removeManifest(
    run: RunKey,
    candidate: ManifestCandidate,
    untaggedSince: Date,
    options?: { readonly stuck?: boolean },
  ): Promise<"removed" | "kept" | "blocked">;
  removeLink(run: RunKey, candidate: LinkCandidate): Promise<"removed" | "kept">;
  /** Locks the row, checks again, and marks the blob as being deleted: it is absent for everybody
   * from then on, and an upload of the same digest gives it another key (rule R7). */
  claimBlob(run: RunKey, candidate: BlobCandidate): Promise<ClaimedBlob | "kept">;
  /** Blobs that an earlier run claimed and did not delete. */
  claimed(limit: number, after?: ClaimedBlob): Promise<readonly ClaimedBlob[]>;
  /** Removes the row of a blob whose object is deleted, if the row still names that generation. */
  forgetBlob(run: RunKey, blob: ClaimedBlob): Promise<void>;
  /** Notes that the object could not be deleted; a later run tries again. */
  failBlob(run: RunKey, blob: ClaimedBlob): Promise<void>;
}

/** What runs found, for the sweep and for people. */
export interface GarbageReports {
  /** Undefined when there is no such report. */
  report(id: string): Promise<RunReport | undefined>;
  /** The newest first. */
  reports(limit: number): Promise<readonly RunReport[]>;
  /** Candidates of a run in the order of the report; with a reviewed report, only those that both
   * contain. */
  candidates(run: Pick<RunKey, "id">, page: CandidatePage): Promise<readonly Candidate[]>;
}

/** Every write compares the fencing token with the lease (rule R10). */
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
export type Totals = { readonly count: number; readonly bytes: number };
/** What a step wrote down: maybe nothing, with `more` to look at all the same. */
export type WalkStep = Totals & { readonly more: boolean };
export type Marked =
  | ({ readonly status: "marked" } & Totals)
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

export type ClaimedBlob = { readonly id: number; readonly digest: Digest; readonly key: string };

export type RunEnd = {
  readonly state: "finished" | "aborted" | "stopped";
  readonly finishedAt: Date;
  readonly removed: Totals;
  /** Why it was aborted, in words for people. */
  readonly error?: string;
};

export type RunReport = Omit<NewRun, keyof RunKey> & {
  readonly id: string;
  /** `running` without a runner: it crashed, and the next run goes on with what is left. */
  readonly state: "running" | RunEnd["state"];
  readonly finishedAt?: Date;
  readonly manifests: Totals;
  readonly links: Totals;
  readonly blobs: Totals;
  readonly removed: Totals;
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
