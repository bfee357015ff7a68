import type { PackageBytes } from "../ports.ts";
import type { Seal } from "../sealer/sealer.ts";
import type { VerifyOptions } from "../verify/verify-package.ts";

/** A version as a feed stores it. */
export type StoredVersion = {
  readonly id: string;
  readonly version: string;
  readonly blob: { readonly key: string; readonly size: number; readonly sha256: string };
  readonly seal?: Pick<Seal, "plan" | "size">;
};

/** An id and a version, in lower case. */
export type VersionName = { readonly id: string; readonly version: string };

/** The digests that a feed has recorded. */
export type RecordedDigests = {
  /** Base64 SHA-512 of the package without signatures; undefined = unknown. */
  readonly contentHash: string | undefined;
  /** The signed files, oldest first. */
  readonly signed: readonly {
    /** Undefined: the file is served now. */
    readonly replacedAt: Date | undefined;
    readonly digests: { readonly sha256: string } | undefined;
  }[];
};

/** The versions of a feed. */
export type StoredVersions = {
  readonly ids: {
    /** Lower-case ids after `after`, in order; begin with "". */
    page(after: string, limit: number): Promise<readonly string[]>;
  };
  readonly lookup: {
    summaries(id: string): Promise<readonly { readonly version: string }[]>;
    find(id: string, version: string): Promise<StoredVersion | undefined>;
  };
  readonly provenance: {
    find(id: string, version: string): Promise<RecordedDigests | undefined>;
  };
};

/** Ports and options for the verification of stored versions. */
export type StoredVerification = {
  readonly versions: StoredVersions;
  /** The stored package files, by key; `end` is inclusive. */
  readonly blobs: {
    read(key: string, range?: Parameters<PackageBytes["read"]>[0]): AsyncIterable<Uint8Array>;
  };
  readonly options: VerifyOptions;
  /** For a feed that signs: an unsigned version is a warning. */
  readonly warnsOfUnsigned: boolean;
};
