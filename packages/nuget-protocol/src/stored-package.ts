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
  /** Its object was found missing or changed: nobody may read it. */
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
};

/** How a version came here. Only what was published here falls under retention. */
export type Origin = "Published" | "Mirrored" | "Cached";

export type Deprecation = {
  /** At least one. */
  readonly reasons: readonly DeprecationReason[];
  readonly message?: string;
  /** `range` as registration documents show it; `*` for any version. */
  readonly alternatePackage?: { readonly id: string; readonly range: string };
};

export type DeprecationReason = "Legacy" | "CriticalBugs" | "Other";
