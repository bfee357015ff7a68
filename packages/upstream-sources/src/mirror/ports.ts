import type { Protocol } from "@sealhouse/request-types";
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

/** Rows of kept documents. */
export interface KeptDocuments {
  find(key: DocumentKey): Promise<KeptDocument | undefined>;
  /** The stored bytes; undefined for an absent document. */
  bytes(key: DocumentKey): Promise<Uint8Array | undefined>;
  /**
   * Replaces the document, and makes the rendered documents of `staleGroups` stale in the same
   * transaction. Without `bytes`, the kept bytes stay.
   */
  put(
    key: DocumentKey,
    kept: KeptDocument & { readonly bytes?: Uint8Array },
    staleGroups: readonly string[],
  ): Promise<void>;
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

/** Origins of names: NuGet's in lower case. A name without versions keeps its origin. */
export interface NameOrigins {
  find(protocol: Protocol, name: string): Promise<NameOrigin | undefined>;
  /** Marks the name as found at a source, unless it has an origin. Returns its origin. */
  claim(protocol: Protocol, name: string, source: string): Promise<NameOrigin>;
}

/** State of a source that all instances share. */
export type SourceState = {
  readonly lastSuccessAt?: Date;
  readonly lastErrorAt?: Date;
  /** For people; without secrets. */
  readonly lastError?: string;
};

export interface SourceStates {
  /** By name of the source. */
  all(): Promise<ReadonlyMap<string, SourceState>>;
  note(source: string, state: SourceState): Promise<void>;
}
