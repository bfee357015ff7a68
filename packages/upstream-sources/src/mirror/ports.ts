import type { Caller, Protocol } from "@sealhouse/request-types";
import type { PackageSource } from "../sources/package-source.ts";

/** Sources from the database and the configuration. */
export interface SourceList {
  /** All that apply now, disabled ones too. May be seconds old. */
  current(): Promise<readonly PackageSource[]>;
}

/** A document of a source. */
export type DocumentKey = {
  readonly protocol: Protocol;
  /** `contentKeyOf` the source. */
  readonly source: string;
  /** Such as `packument`, `versions` or `tag`; up to 32 characters. */
  readonly kind: string;
  readonly name: string;
  /** A tag, a version or a digest; empty for a document of the whole name. */
  readonly part: string;
};

/** A kept document without its bytes, or the fact that the source does not have it. */
export type KeptDocument = {
  readonly status: "found" | "absent";
  /** Changes with the bytes: their SHA-256, hex. Empty where it is absent. */
  readonly revision: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** When the source last confirmed it. */
  readonly checkedAt: Date;
  /** Since when the source has denied it, although it is kept. */
  readonly goneSince?: Date;
};

/** A name to mark as found at a source. */
export type NameClaim = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly source: string;
};

/** Rows of kept documents. */
export interface KeptDocuments {
  find(key: DocumentKey): Promise<KeptDocument | undefined>;
  /** The stored bytes; undefined for an absent document. */
  bytes(key: DocumentKey): Promise<Uint8Array | undefined>;
  /**
   * Replaces the document, and makes the rendered documents of `staleGroups` stale in the same
   * transaction. Without `bytes`, the kept bytes stay. `claim`: marks this name like
   * `NameOrigins.claim` when it has no origin, in the same transaction.
   */
  put(
    key: DocumentKey,
    kept: KeptDocument & { readonly bytes?: Uint8Array },
    staleGroups: readonly string[],
    claim?: NameClaim,
  ): Promise<void>;
  /** Number of documents, without absent ones. */
  count(): Promise<number>;
  /** Removes the memory of absent names that is older than `before`. */
  dropAbsent(before: Date): Promise<number>;
}

/**
 * Where a name belongs. `own`: it was first published here. `mirrored`: it was first found at a
 * source. `reserved`: an administrator keeps it for publishes here.
 */
export type NameOrigin =
  | { readonly origin: "own" | "reserved"; readonly since: Date }
  | { readonly origin: "mirrored"; readonly since: Date; readonly source: string };

/** Origins of names: NuGet's in lower case. Deleting all versions of a name keeps its origin. */
export interface NameOrigins {
  /** A reserved pattern that matches the name decides before what was found at a source. */
  find(protocol: Protocol, name: string): Promise<NameOrigin | undefined>;
  /** The sources of those names that were found at one, by name. */
  sourcesOf(protocol: Protocol, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Marks a name without an origin as found at a source. Returns the origin of the name then. */
  claim(protocol: Protocol, name: string, source: string): Promise<NameOrigin>;
  /**
   * Keeps a name, or all names of a pattern such as `@acme/*`, for publishes here. `mirrored`: the
   * exact name was found at a source, and stays so until it is released.
   */
  reserve(protocol: Protocol, pattern: string, caller: Caller): Promise<ReserveOutcome>;
  /** Makes a mirrored name an own one, or ends the reservation of a name or pattern. */
  release(protocol: Protocol, pattern: string, caller: Caller): Promise<ReleaseOutcome>;
  /** Names that are published here and not mirrored, in order. */
  ownNames(
    protocol: Protocol,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly string[]>;
}

/** Outcome of a reservation; `own`: the name is published here. */
export type ReserveOutcome =
  | { readonly status: "reserved" | "repeated" | "own" }
  | { readonly status: "mirrored"; readonly source: string };

/** Outcome of a release; `own`: the name is published here. */
export type ReleaseOutcome =
  | { readonly status: "released"; readonly source: string }
  /** The reservation has ended. */
  | { readonly status: "ended" }
  | { readonly status: "own" | "absent" };

/** A call to a source that failed. */
export type SourceError = {
  readonly at: Date;
  /** For people; without secrets. */
  readonly words: string;
};

/** State of a source that all instances share. */
export type SourceState = {
  readonly lastSuccessAt?: Date;
  readonly lastErrorAt?: Date;
  /** For people; without secrets. */
  readonly lastError?: string;
  /** Errors of the last hour, the newest first; at most `RECENT_ERRORS_MAX`. */
  readonly recentErrors?: readonly SourceError[];
  /** Until when an instance does not ask it, after failures. */
  readonly pausedUntil?: Date;
};

/** States of sources as rows. */
export interface SourceStates {
  /** By name of the source. */
  all(): Promise<ReadonlyMap<string, SourceState>>;
  note(source: string, state: SourceState): Promise<void>;
}
