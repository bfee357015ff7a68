import type { ShownEvent } from "@sealhouse/events";
import type { Caller } from "@sealhouse/request-types";
import type { SignedStatement } from "../statement/release-statement.ts";
import type {
  Release,
  ReleaseItem,
  ReleaseMember,
  ReleaseState,
  StoredRelease,
} from "../model/release.ts";

/** A release to open. */
export type NewRelease = Pick<Release, "id" | "group" | "kind" | "targets"> & {
  /** Releases with one lane run one after the other, in the order in which they were opened. Up to
   * 64 characters. */
  readonly lane: string;
  /** A repeated call with the same key finds the release of the first. */
  readonly key: string;
  /** Members and their targets, if they are known: then the release is frozen at once. */
  readonly items?: readonly ReleaseItem[];
};

/** Outcome of opening a release. */
export type OpenedRelease =
  | { readonly status: "opened" | "repeated"; readonly release: Release }
  /** Another release of the group is not at its end. */
  | { readonly status: "busy"; readonly id: string };

/** Change of the state of a release. */
export type ReleaseStep = {
  /** Nothing changes when the release is in another state: an operator has cancelled it. */
  readonly from: ReleaseState;
  readonly state: ReleaseState;
  readonly frozenAt?: Date;
  readonly pivotAt?: Date;
  readonly attemptsSince?: Date;
  readonly endedAt?: Date | undefined;
  readonly nextAt?: Date | undefined;
  readonly reason?: string | undefined;
  readonly statement?: SignedStatement;
  /** The statement about the end of the release. */
  readonly outcome?: SignedStatement;
  /** The end of the release, which the registry reaches for who asked for it. */
  readonly event?: ShownEvent;
};

/** Filter and page of a list of releases. */
export type ReleaseQuery = {
  readonly group?: string;
  /** The last release of the previous page. */
  readonly after?: Pick<Release, "createdAt" | "id">;
  /** 1 to 1,000. */
  readonly limit: number;
};

/**
 * Rows of releases. Each method is one transaction. Changes of a running release are refused with
 * a `LostLeaseError` when its lease was lost (`currentFence` of the jobs package).
 */
export interface ReleaseRows {
  open(release: NewRelease, caller: Caller): Promise<OpenedRelease>;
  find(id: string): Promise<StoredRelease | undefined>;
  /** Newest first. */
  list(query: ReleaseQuery): Promise<readonly Release[]>;
  /** Ids of releases that have not ended, are due and are the first of their lane; oldest first. */
  due(now: Date): Promise<readonly string[]>;
  /** Writes the items and keeps the content of the members until the release ends. */
  freeze(id: string, items: readonly ReleaseItem[], step: ReleaseStep): Promise<void>;
  move(id: string, step: ReleaseStep): Promise<void>;
  /** Saves the items in one transaction. */
  saveItems(id: string, items: readonly ReleaseItem[]): Promise<void>;
}

/** Packages at targets that running releases publish. */
export interface ReleaseLanes {
  /**
   * Takes the places for a release until it ends: all of them, or nothing. Resolves to the id of
   * another release that has one of them.
   */
  claim(id: string, places: readonly string[]): Promise<string | undefined>;
}

/** Changes of releases by an operator. Each change and its event `release.changed` are one
 * transaction. */
export interface ReleaseControl {
  /**
   * Continues a failed release: its failed items are looked at again. A syndication that was undone
   * begins again. `running`: it has not ended; it is due at once. `ended`: it was released or
   * undone.
   */
  resume(id: string, caller: Caller): Promise<"resumed" | "running" | "ended" | "absent">;
  /** Ends a release that can still be undone; what it did is taken back. */
  cancel(
    id: string,
    reason: string,
    caller: Caller,
  ): Promise<"cancelled" | "forward" | "ended" | "absent">;
}

/** Statements of releases, and the places of what they published. */
export interface StatementRows {
  /** Names of targets that have a version of a name from a release, in order. */
  targetsOf(member: Pick<ReleaseMember, "protocol" | "name">): Promise<readonly string[]>;
  find(id: string): Promise<SignedStatement | undefined>;
  /** The statement about the end of the release. */
  outcome(id: string): Promise<SignedStatement | undefined>;
  /** SHA-256 of the newest statement of a group, lower-case hex. */
  newestDigest(group: string): Promise<string | undefined>;
}
