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
  /** Bytes of the file as received. */
  readonly size: number;
  readonly origin: Origin;
  /** Who published it; "" for versions from before this was kept. */
  readonly publishedBy: string;
  readonly deprecation?: Deprecation;
  /** As a package source describes them. */
  readonly vulnerabilities?: readonly KnownVulnerability[];
  readonly details: string;
};

/** A known vulnerability of one version. Severities are 0 (low) to 3 (critical). */
export type KnownVulnerability = { readonly url: string; readonly severity: number };

/** The fields for a download. */
export type StoredPackage = {
  readonly id: string;
  readonly version: string;
  readonly nuspec: Uint8Array;
  readonly blob: NamedBlob;
  readonly seal?: Seal;
  /** Default `Published`. */
  readonly origin?: Origin;
};

/** A stored blob: its key, size in bytes and digest. */
export type NamedBlob = {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Its object is missing or changed: reads fail. */
  readonly isDamaged?: true;
};

/** A repository signature that belongs to one stored file, as bytes only the sealer understands. */
export type Seal = {
  readonly plan: Uint8Array;
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
  /** Size of the signed file in bytes. */
  readonly size: number;
  readonly signedAt: Date;
  /** Digests of the signed file, when they were computed with the signature. */
  readonly digests?: FileDigests;
};

/** SHA-256 and SHA-512 of one file. */
export type FileDigests = {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Base64. */
  readonly sha512: string;
};

/** Origin of a version. Only published versions are subject to retention. */
export type Origin = "Published" | "Mirrored" | "Cached";

/** Warning of the owner about a version. */
export type Deprecation = {
  /** At least one. */
  readonly reasons: readonly DeprecationReason[];
  readonly message?: string;
  /** `range` as registration documents show it; `*` for any version. */
  readonly alternatePackage?: { readonly id: string; readonly range: string };
};

/** Reason of a deprecation. */
export type DeprecationReason = "Legacy" | "CriticalBugs" | "Other";
