import type { Caller, PackageVerdict, PublicAddressOf } from "@sealhouse/request-types";
import type { ByteRange, ByteSource, DocumentStore, ReadOptions } from "@sealhouse/http-responses";
import type { AdvisoryLookup } from "./advisories/ports.ts";
import type { PackageViews } from "./as-of/ports.ts";
import type { CatalogLog } from "./catalog/ports.ts";
import type { ProvenanceLookup } from "./provenance/ports.ts";
import type { DependentsLookup, PackageSearch } from "./search/ports.ts";
import type { SymbolCatalog } from "./symbols/ports.ts";
import type {
  Deprecation,
  NamedBlob,
  Origin,
  PackageRecord,
  Seal,
  StoredPackage,
} from "./stored-package.ts";
import type { NuGetUpstream } from "./upstream/ports.ts";

/** Ports of the feed. The host or `./testing` implements them. */
export type NuGetPorts = {
  readonly lookup: PackageLookup;
  readonly recorder: PackageRecorder;
  readonly lifecycle: PackageLifecycle;
  readonly search: PackageSearch & DependentsLookup;
  readonly symbols: SymbolCatalog;
  readonly advisories: AdvisoryLookup;
  readonly catalog: CatalogLog;
  readonly provenance: ProvenanceLookup;
  readonly documents: DocumentStore;
  readonly upstream: NuGetUpstream;
  readonly files: PackageFiles;
  readonly content: PackageContent;
  readonly sealer: Sealer;
  readonly certificates: CertificateList;
  readonly authorize: AuthorizePackage;
  readonly address: PublicAddressOf;
  /** Called after a completed push or a started download; must not throw. */
  readonly count: (what: "push" | "pull", pulled?: { id: string; version: string }) => void;
  /** Absent where there are no views as of a time. */
  readonly views?: PackageViews;
  /** Absent where ID tokens of build jobs are not accepted. */
  readonly exchange?: TokenExchange;
};

/**
 * Exchanges a verified ID token of a build job for an API key. `username` limits it to the packages
 * of this user or team. `reason` is a sentence.
 */
export type TokenExchange = (
  request: Request,
  env: unknown,
  exchanged: { readonly idToken: string; readonly username: string },
) => Promise<
  | { readonly status: "issued"; readonly apiKey: string; readonly expiresAt: Date }
  | { readonly status: "refused"; readonly reason: string }
  /** Too many invalid ID tokens from the network. */
  | { readonly status: "limited"; readonly retryAfterSeconds: number }
>;

/**
 * Right that a request needs. `publish` only adds versions; `unlist` is the deletion that only
 * hides a version.
 */
export type Action = "read" | "publish" | "write" | "unlist" | "delete" | "admin";

/** `name` is a package id, or undefined where the request names none (search, service index). */
export type AuthorizePackage = (
  request: Request,
  env: unknown,
  access: { readonly action: Action; readonly name?: string },
) => Promise<PackageVerdict>;

/** As much of a version as lists of versions tell. */
export type VersionSummary = Pick<
  PackageRecord,
  "id" | "version" | "isPrerelease" | "isSemVer2" | "listed"
> & {
  /** In views as of a time: it existed then, and its bytes are gone. */
  readonly isLost?: true;
};

/**
 * Lookups take the lower-cased id and lower-cased normal versions. Versions are in ascending order.
 * A host may leave versions out that its rules refuse; a lookup of nothing else then throws
 * `NuGetError`.
 */
export interface PackageLookup {
  /**
   * Every version, in short: a package may have thousands, and each may say a lot. `onlyNumbers`:
   * the caller needs nothing but the versions themselves.
   */
  summaries(
    id: string,
    options?: { readonly onlyNumbers?: boolean },
  ): Promise<readonly VersionSummary[]>;
  /** The same in full. `only`: no others than these; at most 256. */
  versions(id: string, only?: readonly string[]): Promise<readonly PackageRecord[]>;
  find(id: string, version: string): Promise<StoredPackage | undefined>;
}

/** Downloads and publishers of a package over all its versions. */
export interface PackageTotals {
  /** By the lower-cased id. `publishers`: who has published versions, the first one first; not all
   * where they are very many. */
  of(id: string): Promise<{ readonly downloads: number; readonly publishers: readonly string[] }>;
}

/** A version for the recorder, with its kept blob. */
export type NewPackage = Omit<
  PackageRecord,
  "listed" | "downloads" | "size" | "origin" | "publishedBy" | "deprecation" | "vulnerabilities"
> & {
  /** Default true: an import keeps what its source has unlisted. */
  readonly listed?: boolean;
  /** Default `Published`. */
  readonly origin?: Origin;
  /** The package source that it comes from. */
  readonly mirroredFrom?: string;
  readonly deprecation?: Deprecation;
  /** Short folder names, lower case; empty when the package names none. */
  readonly targetFrameworks: readonly string[];
  /** Lower-cased ids of everything it depends on, each once. */
  readonly dependencyIds: readonly string[];
  readonly nuspec: Uint8Array;
  readonly blob: NamedBlob;
  /** Base64 SHA-512 of the file as received. */
  readonly sha512: string;
  /** Base64 SHA-512 of the package without any signature; undefined when it has yet to be read
   * out of a package that came signed. */
  readonly contentHash?: string;
  readonly seal?: Seal;
  /** Why it could not be signed although it should have been. */
  readonly unsignedBecause?: string;
};

/** Result of recording a pushed version. */
export type RecordOutcome =
  /** `isDuplicate`: the same bytes already had a name, so the new copy is not needed. `replaced`:
   * the version was there before and has other bytes now. */
  | { readonly status: "recorded"; readonly isDuplicate: boolean; readonly replaced: boolean }
  | { readonly status: "exists" }
  /** The number belonged to a version that was deleted for good. */
  | { readonly status: "tombstone"; readonly deletedAt: Date }
  /** The id belongs to a package source, and the version does not come from one. */
  | { readonly status: "mirrored"; readonly source: string };

/** Each change, its event and the staleness of its documents are one transaction. */
export interface PackageRecorder {
  /**
   * `overwrite`: a version that is there already gets the new bytes, manifest and seal; its
   * downloads, deprecation and first publication stay, its symbols go, being another build's.
   */
  record(
    version: NewPackage,
    caller: Caller,
    options?: { readonly overwrite?: boolean },
  ): Promise<RecordOutcome>;
  setListed(
    id: string,
    version: string,
    listed: boolean,
    caller: Caller,
  ): Promise<"changed" | "unchanged" | "absent">;
}

/** Changes to published versions. Ids and versions are lower-cased, as in lookups. */
export interface PackageLifecycle {
  /**
   * Deletes permanently: version, seal, symbols. Leaves a tombstone; unreferenced bytes lose their
   * row.
   */
  delete(id: string, version: string, caller: Caller): Promise<"deleted" | "absent">;
  /** Sets the deprecation, or lifts it without one, on the versions named. Gives the versions that
   * changed; undefined for an unknown package or version, and then nothing has changed. */
  deprecate(
    id: string,
    versions: readonly string[] | "all",
    deprecation: Deprecation | undefined,
    caller: Caller,
  ): Promise<readonly string[] | undefined>;
  /** Ascending by version. */
  tombstones(id: string): Promise<readonly Tombstone[]>;
  /** Removes the tombstone, so that the number can be pushed again. */
  allowReuse(id: string, version: string, caller: Caller): Promise<"allowed" | "absent">;
}

/** Record of a permanently deleted version, whose number stays taken. */
export type Tombstone = {
  readonly id: string;
  readonly version: string;
  /** Hex, of the file that was deleted. */
  readonly sha256: string;
  readonly deletedAt: Date;
  readonly deletedBy: string;
};

/** Bytes on their way in: staged, hashed, kept. Met by the blob store of storage-providers. */
export interface PackageFiles {
  /** The received bytes under a key that `keep` returned. */
  read(key: string, range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>;
  stage(
    body: AsyncIterable<Uint8Array>,
    options: {
      readonly hashes: readonly ("sha256" | "sha512")[];
      readonly maxBytes?: number;
      /** Remembers states of the hashes near the end, for `hashedUntil`. */
      readonly remembersHashes?: true;
      readonly signal?: AbortSignal;
    },
  ): Promise<StagedPackage>;
}

/** The hashes of the first `at` bytes of a file, to continue with other bytes. */
export type HashedPrefix = {
  readonly at: number;
  readonly hashing: {
    update(chunk: Uint8Array): void;
    /** Lower-case hex. */
    digests(): Readonly<{ sha256: string; sha512?: string }>;
  };
};

/** An upload in the staging area. Disposal deletes it unless `keep` was called. */
export interface StagedPackage extends AsyncDisposable {
  readonly size: number;
  readonly digests: Readonly<{ sha256: string; sha512?: string }>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** The hashes of a beginning of at most `end` bytes, where they are remembered. */
  readonly hashedUntil?: (end: number) => HashedPrefix | undefined;
  keep(): Promise<NamedBlob & { discard(): Promise<void> }>;
  /** Brings a blob of the same bytes back whose object is lost; false where none is. */
  heal?(): Promise<boolean>;
}

/** The bytes a client gets: stored, then signed. Wrappers of this port stack in the host. */
export interface PackageContent {
  /**
   * The signal aborts when the request ends before an answer.
   * @throws {NuGetError} `signing-later` when the version must be signed and cannot be
   */
  open(storedPackage: StoredPackage, signal?: AbortSignal): Promise<ServedPackage>;
}

/** The bytes of a download with their entity tag. */
export type ServedPackage = ByteSource & {
  /** Strong, without quotes; changes whenever the served bytes change. */
  readonly etag: string;
  /** Returns a URL for reading the same bytes without credentials; undefined when clients must read
   * them here. Without the method, they always do. */
  readonly address?: () => Promise<string | undefined>;
};

/** Decides and signs before anything is stored or listed. */
export interface Sealer {
  seal(
    file: ByteSource & {
      readonly sha256: string;
      readonly hashedUntil?: (end: number) => HashedPrefix | undefined;
    },
    identity: {
      readonly id: string;
      readonly version: string;
      readonly origin?: Origin;
      /** Who publishes it, and owns it when it is the first version. */
      readonly publisher?: Caller;
    },
  ): Promise<SealOutcome>;
}

/** Result of signing a pushed package. */
export type SealOutcome =
  /** `warning`: signed, but with a defect, such as a missing timestamp. `contentHash`: base64
   * SHA-512 without any signature, of a package that came signed. */
  | {
      readonly status: "sealed";
      readonly seal: Seal;
      readonly warning?: string;
      readonly contentHash?: string;
    }
  /**
   * Signing is off, the policy keeps the existing signature, or signing failed in a mode that
   * accepts the upload: then `warning` has the reason.
   */
  | {
      readonly status: "unsealed";
      readonly warning?: string;
      readonly because?: "package" | "failure" | "policy";
      readonly contentHash?: string;
    }
  /** The package's own signature is broken, or policy says no. */
  | { readonly status: "refused"; readonly reason: string }
  /** Cannot sign: later (`retryAfterSeconds`) or not before an operator acts. */
  | { readonly status: "failed"; readonly reason: string; readonly retryAfterSeconds?: number };

/** The certificates of this feed. */
export interface CertificateList {
  /** Certificates that sign, have signed, or are prepared; no retired ones. Also those of other
   * repositories whose signatures stay on stored packages. */
  all(): Promise<readonly ListedCertificate[]>;
  /** Any of them, a retired one included: clients keep files that it signed. */
  find(fingerprint: string): Promise<ListedCertificate | undefined>;
  /** True only when all versions are signed and the operator enabled the statement. */
  allRepositorySigned(): Promise<boolean>;
}

/** A certificate in the repository signatures resource. */
export type ListedCertificate = {
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string;
  /** .NET style, most specific first: `CN=…, O=…`. */
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly der: Uint8Array;
};
