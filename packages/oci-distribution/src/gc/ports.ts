import type { Caller } from "@sealhouse/request-types";
import type { Digest } from "../digest.ts";
import type { RepositoryName } from "../repository-name.ts";

/** A set of repositories that is collected on its own: those under a segment's name, or, for the
 * default surface, those under none of the segments. */
export type Surface =
  | { readonly name: string; readonly segment: string }
  | { readonly name: string; readonly notUnder: readonly string[] };

/**
 * Ports of the collector to the database, one for each of its readers. Every method is one
 * transaction. Every method that writes rejects with a `LostLeaseError` (`@sealhouse/jobs`) when it
 * runs under a lease that another runner has acquired (rule R10).
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
  mark(run: RunKey, target: RepositoryToMark): Promise<Marked>;
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
  /** Locks the row, checks again, and marks the blob as being deleted: it is absent for all
   * clients from then on, and an upload of the same digest gives it another key (rule R7). */
  claimBlob(run: RunKey, candidate: BlobCandidate): Promise<ClaimedBlob | "kept">;
  /** Blobs that an earlier run claimed and did not delete. */
  claimed(limit: number, after?: ClaimedBlob): Promise<readonly ClaimedBlob[]>;
  /** Removes the row of a blob whose object is deleted, if the row still names that generation. */
  forgetBlob(run: RunKey, blob: ClaimedBlob): Promise<void>;
  /** Removes the rows of repositories that have no content, never had a manifest, and are older
   * than the limit of the run: what interrupted pushes left. Resolves to their number. */
  forgetEmpty(run: RunKey, surface: Surface): Promise<number>;
  /** Notes that the object could not be deleted; a later run tries again. */
  failBlob(run: RunKey, blob: ClaimedBlob): Promise<void>;
}

/** Reads the reports of runs, for the sweep and for operators. */
export interface GarbageReports {
  /** Undefined when there is no such report. */
  report(id: string): Promise<RunReport | undefined>;
  /** Returns the newest reports first. */
  reports(limit: number): Promise<readonly RunReport[]>;
  /** Candidates of a run in the order of the report; with a reviewed report, only those that both
   * contain. */
  candidates(run: Pick<RunKey, "id">, page: CandidatePage): Promise<readonly Candidate[]>;
}

/** Identifies a run, and the limit of what it may collect. */
export type RunKey = {
  readonly id: string;
  /** The start of the run less the minimum age (rule R5). */
  readonly unusedSince: Date;
};

/** A run to open a report for. */
export type NewRun = RunKey & {
  readonly surface: string;
  readonly dryRun: boolean;
  readonly startedAt: Date;
  /** Id of a report that an operator reviewed. Only its entries are removed. */
  readonly reviewed?: string;
};

/** A repository to mark, and the time limit for its untagged manifests. */
export type RepositoryToMark = {
  readonly repository: RepositoryName;
  /** Manifests used since then stay, tagged or not. `new Date(0)`: all manifests stay. */
  readonly untaggedSince: Date;
};

/** One page of repository names, in code unit order. */
export type Repositories = readonly RepositoryName[];
/** Number of items and the sum of their sizes in bytes. */
export type Totals = { readonly count: number; readonly bytes: number };
/** Totals of one step, which may be zero. `more`: the walk has further steps. */
export type WalkStep = Totals & { readonly more: boolean };
/** Result of marking a repository: totals of its candidates, or the manifest that is incomplete. */
export type Marked =
  | ({ readonly status: "marked" } & Totals)
  | {
      readonly status: "broken";
      readonly manifest: Digest;
      /** Digest that the manifest references and that is missing. */
      readonly missing?: Digest;
    };

/** Kind of row that a run may remove. */
export type CandidateKind = "manifest" | "link" | "blob";
/** Kind and position of one page of candidates. */
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
/** A manifest that no root reaches. */
export type ManifestCandidate = CandidateBase & {
  readonly kind: "manifest";
  readonly repository: RepositoryName;
};
/** A link between a repository and a blob that no manifest of the repository references. */
export type LinkCandidate = CandidateBase & {
  readonly kind: "link";
  readonly repository: RepositoryName;
};
/** A blob that no repository links. */
export type BlobCandidate = CandidateBase & { readonly kind: "blob" };
/** A row that a run may remove, as written in its report. */
export type Candidate = ManifestCandidate | LinkCandidate | BlobCandidate;

/** Why a row is a candidate. `untagged`: no root reaches it. `subject-gone`: its subject does not
 * exist. `unneeded`: no manifest of the repository references the blob. `unlinked`: no repository
 * links the blob. */
export type CandidateReason = "untagged" | "subject-gone" | "unneeded" | "unlinked";

/** A blob that is marked as being deleted, with the key of the object to delete. */
export type ClaimedBlob = { readonly id: number; readonly digest: Digest; readonly key: string };

/** Final state of a run, and the totals of what it removed. */
export type RunEnd = {
  readonly state: "finished" | "aborted" | "stopped";
  readonly finishedAt: Date;
  readonly removed: Totals;
  /** Reason of an aborted run, for the operator. */
  readonly error?: string;
};

/** Report of a run: its options, its state, its candidates per kind, and what it removed. */
export type RunReport = Omit<NewRun, keyof RunKey> & {
  readonly id: string;
  /** `running` although no process runs it: the run crashed, and the next run continues it. */
  readonly state: "running" | RunEnd["state"];
  readonly finishedAt?: Date;
  readonly manifests: Totals;
  readonly links: Totals;
  readonly blobs: Totals;
  readonly removed: Totals;
  readonly error?: string;
};

/** Holds: digests that the collector must keep for now, referenced or not. Placed by a promotion
 * that copies them, by a fetch from upstream, or by an operator (rules R3, R12). */
export interface Holds {
  /**
   * Places or renews the hold of a holder. Without `until`, it lasts until it is released. With a
   * caller, it is an event.
   */
  hold(digests: readonly Digest[], holder: string, until?: Date, caller?: Caller): Promise<void>;
  release(holder: string, by?: { readonly digest: Digest; readonly caller: Caller }): Promise<void>;
}

/** Objects of blobs. Deleting an object that does not exist succeeds. */
export interface GarbageFiles {
  delete(key: string): Promise<void>;
}
