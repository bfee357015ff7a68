import type { ByteRange, ByteSource, DocumentStore } from "@sealhouse/http-responses";

/** What the feed must be able to ask of the outside. The host, or `./testing`, answers. */
export type NuGetPorts = {
  readonly lookup: PackageLookup;
  readonly recorder: PackageRecorder;
  readonly search: PackageSearch;
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

export type Caller = {
  readonly actor: string;
  readonly tokenId?: string;
  readonly address?: string;
  readonly requestId?: string;
};

export type Verdict =
  | { readonly status: "granted"; readonly caller: Caller }
  /** No credentials where some are needed. */
  | { readonly status: "anonymous" }
  | { readonly status: "denied"; readonly reason: string }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** `name` is a package id, or undefined where the request names none (search, service index). */
export type Authorize = (
  request: Request,
  env: unknown,
  wanted: { readonly action: "read" | "write" | "delete"; readonly name?: string },
) => Promise<Verdict>;

/** The one place absolute links come from. `base` has no trailing slash. */
export type PublicAddressOf = (
  request: Request,
  env: unknown,
) => { readonly base: string; readonly cacheable: boolean };

/** A version as stored. `details` is what `parseNuspec` gave, as JSON. */
export type PackageRecord = {
  /** In the author's casing. */
  readonly id: string;
  /** Normal form, in the author's casing: `1.2.3-Beta.1`. */
  readonly version: string;
  /** Normal form plus build metadata. */
  readonly fullVersion: string;
  readonly isPrerelease: boolean;
  /** Own version or any dependency bound needs SemVer 2.0.0. */
  readonly isSemVer2: boolean;
  readonly listed: boolean;
  readonly publishedAt: Date;
  readonly downloads: number;
  readonly details: string;
};

/** What a download needs, and nothing else. */
export type StoredPackage = {
  readonly id: string;
  readonly version: string;
  readonly nuspec: Uint8Array;
  readonly blob: NamedBlob;
  readonly seal?: Seal;
};

export type NamedBlob = {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
};

/** Look-ups take the lower-cased id and the lower-cased normal version. */
export interface PackageLookup {
  versions(id: string): Promise<readonly PackageRecord[]>;
  find(id: string, version: string): Promise<StoredPackage | undefined>;
}

export type NewPackage = Omit<PackageRecord, "listed" | "downloads"> & {
  readonly nuspec: Uint8Array;
  readonly blob: NamedBlob;
  /** Base64 SHA-512 of the file as received. */
  readonly sha512: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly authors: string;
  readonly packageTypes: readonly string[];
  readonly seal?: Seal;
};

/** Each change, its event and the staleness of its documents are one transaction. */
export interface PackageRecorder {
  /** `surplus` tells that the same bytes already had a name, so the new copy is not needed. */
  record(
    version: NewPackage,
    caller: Caller,
  ): Promise<
    { readonly status: "recorded"; readonly surplus: boolean } | { readonly status: "duplicate" }
  >;
  setListed(
    id: string,
    version: string,
    listed: boolean,
    caller: Caller,
  ): Promise<"changed" | "unchanged" | "absent">;
}

export type SearchQuery = {
  readonly text: string;
  readonly skip: number;
  readonly take: number;
  readonly prerelease: boolean;
  readonly semVer2: boolean;
  readonly packageType?: string;
};

/** `versions` are those that pass the filters, ascending. */
export type SearchHit = { readonly id: string; readonly versions: readonly PackageRecord[] };

export interface PackageSearch {
  search(
    query: SearchQuery,
  ): Promise<{ readonly totalHits: number; readonly hits: readonly SearchHit[] }>;
  /** Ids that start with the text, in alphabetical order. */
  idsStartingWith(
    query: SearchQuery,
  ): Promise<{ readonly totalHits: number; readonly ids: readonly string[] }>;
}

/** Bytes on their way in: staged, hashed, kept. Met by the blob store of storage-providers. */
export interface PackageFiles {
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
}

/** The bytes a client gets: stored, then signed. Wrappers of this port stack in the host. */
export interface PackageContent {
  open(found: StoredPackage): Promise<ServedPackage>;
}

export type ServedPackage = ByteSource & {
  /** Strong, without quotes; changes whenever the served bytes change. */
  readonly etag: string;
};

/** A repository signature that belongs to one stored file, as bytes only the sealer understands. */
export type Seal = {
  readonly plan: Uint8Array;
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
  /** Size of the signed file in bytes. */
  readonly size: number;
  readonly signedAt: Date;
};

/** Decides and signs before anything is stored or listed. */
export interface Sealer {
  seal(
    file: ByteSource & { readonly sha256: string },
    named: { id: string; version: string },
  ): Promise<SealOutcome>;
}

export type SealOutcome =
  /** `warning`: signed, but not as well as it should be (without a time-stamp, say). */
  | { readonly status: "sealed"; readonly seal: Seal; readonly warning?: string }
  /** Signing is off, or failed in a mode that lets the upload pass: `warning` says why. */
  | { readonly status: "unsealed"; readonly warning?: string }
  /** The package's own signature is broken, or policy says no. */
  | { readonly status: "refused"; readonly reason: string }
  /** Cannot sign: later (`retryAfterSeconds`) or not before an operator acts. */
  | { readonly status: "failed"; readonly reason: string; readonly retryAfterSeconds?: number };

/** Every certificate that vouches for a served package. */
export interface CertificateList {
  all(): Promise<readonly ListedCertificate[]>;
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
