import type { Caller, PackageVerdict, PublicAddressOf } from "@sealhouse/request-types";
import type { ByteRange, ByteSource, DocumentStore } from "@sealhouse/http-responses";
import type { AdvisoryLookup } from "./advisories/ports.ts";
import type { CatalogLog } from "./catalog/ports.ts";
import type { ProvenanceLookup } from "./provenance/ports.ts";
import type { DependentsLookup, PackageSearch } from "./search/ports.ts";
import type { SymbolCatalog } from "./symbols/ports.ts";
import type { NamedBlob, PackageRecord, Seal, StoredPackage } from "./stored-package.ts";
import type { Origin, Deprecation } from "./stored-package.ts";

/** What the feed must be able to ask of the outside. The host, or `./testing`, answers. */
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
  readonly files: PackageFiles;
  readonly content: PackageContent;
  readonly sealer: Sealer;
  readonly certificates: CertificateList;
  readonly authorize: Authorize;
  readonly address: PublicAddressOf;
  /** Called after a completed push or a started download; must not throw. */
  readonly count: (what: "push" | "pull", pulled?: { id: string; version: string }) => void;
};

export type Action = "read" | "write" | "delete" | "admin";

/** `name` is a package id, or undefined where the request names none (search, service index). */
export type Authorize = (
  request: Request,
  env: unknown,
  wanted: { readonly action: Action; readonly name?: string },
) => Promise<PackageVerdict>;

/** As much of a version as lists of versions tell. */
export type VersionSummary = Pick<
  PackageRecord,
  "id" | "version" | "isPrerelease" | "isSemVer2" | "listed"
>;

/** Look-ups take the lower-cased id and lower-cased normal versions. Versions come ascending. */
export interface PackageLookup {
  /** Every version, in short: a package may have thousands, and each may say a lot. */
  summaries(id: string): Promise<readonly VersionSummary[]>;
  /** The same in full. `only`: no others than these; at most 256. */
  versions(id: string, only?: readonly string[]): Promise<readonly PackageRecord[]>;
  find(id: string, version: string): Promise<StoredPackage | undefined>;
}

/** What is so of a package as a whole. */
export interface PackageTotals {
  /** By the lower-cased id. `publishers`: who has published versions, the first one first; not all
   * where they are very many. */
  of(id: string): Promise<{ readonly downloads: number; readonly publishers: readonly string[] }>;
}

export type NewPackage = Omit<
  PackageRecord,
  "listed" | "downloads" | "size" | "origin" | "publishedBy" | "deprecation"
> & {
  /** Default true: an import keeps what its source has unlisted. */
  readonly listed?: boolean;
  /** Default `Published`. */
  readonly origin?: Origin;
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

export type RecordOutcome =
  /** `surplus`: the same bytes already had a name, so the new copy is not needed. `replaced`: the
   * version was there before and has other bytes now. */
  | { readonly status: "recorded"; readonly surplus: boolean; readonly replaced: boolean }
  | { readonly status: "exists" }
  /** The number belonged to a version that was deleted for good. */
  | { readonly status: "tombstone"; readonly deletedAt: Date };

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

/** What may become of a version later. Ids and versions lower-cased, as in look-ups. */
export interface PackageLifecycle {
  /** For good: version, seal, symbols. Leaves a tombstone; bytes that nobody else names lose their
   * row. */
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
  /** The bytes under a key that `keep` gave, as they were received. */
  read(key: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  stage(
    body: AsyncIterable<Uint8Array>,
    options: {
      readonly hashes: readonly ("sha256" | "sha512")[];
      readonly maxBytes?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<StagedPackage>;
}

export interface StagedPackage extends AsyncDisposable {
  readonly size: number;
  readonly digests: Readonly<{ sha256: string; sha512?: string }>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  keep(): Promise<NamedBlob & { discard(): Promise<void> }>;
  /** Brings a blob of the same bytes back whose object is lost; false where none is. */
  heal?(): Promise<boolean>;
}

/** The bytes a client gets: stored, then signed. Wrappers of this port stack in the host. */
export interface PackageContent {
  /** The signal tells that the request is over before anything was served.
   * @throws {NuGetError} `signing-later` when it must not leave unsigned and cannot be signed */
  open(found: StoredPackage, signal?: AbortSignal): Promise<ServedPackage>;
}

export type ServedPackage = ByteSource & {
  /** Strong, without quotes; changes whenever the served bytes change. */
  readonly etag: string;
};

/** Decides and signs before anything is stored or listed. */
export interface Sealer {
  seal(
    file: ByteSource & { readonly sha256: string },
    named: { id: string; version: string; origin?: Origin },
  ): Promise<SealOutcome>;
}

export type SealOutcome =
  /** `warning`: signed, but not as well as it should be (without a time-stamp, say). */
  | { readonly status: "sealed"; readonly seal: Seal; readonly warning?: string }
  /** Signing is off, policy leaves what the package carries, or signing failed in a mode that lets
   * the upload pass: `warning` says why. */
  | {
      readonly status: "unsealed";
      readonly warning?: string;
      readonly because?: "package" | "failure";
    }
  /** The package's own signature is broken, or policy says no. */
  | { readonly status: "refused"; readonly reason: string }
  /** Cannot sign: later (`retryAfterSeconds`) or not before an operator acts. */
  | { readonly status: "failed"; readonly reason: string; readonly retryAfterSeconds?: number };

/** The certificates of this feed. */
export interface CertificateList {
  /** Those that sign, have signed, or are prepared to; none that was retired. */
  all(): Promise<readonly ListedCertificate[]>;
  /** Any of them, a retired one included: clients keep files that it signed. */
  find(fingerprint: string): Promise<ListedCertificate | undefined>;
  /** True only when it is the truth and the operator said so. */
  allRepositorySigned(): Promise<boolean>;
}

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
