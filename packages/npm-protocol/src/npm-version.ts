import type { PackageAccess } from "./owners/ports.ts";
import type { Attestation } from "./provenance/ports.ts";
import type { RegistrySignature } from "./signatures/registry-signature.ts";

/** A version as stored; `manifest` is its final JSON text without `dist` and `deprecated`. */
export type NpmVersion = {
  readonly version: string;
  readonly manifest: string;
  /** The same, cut down to what the abbreviated packument holds. */
  readonly abbreviated: string;
  /** SRI: `sha512-…`. Empty for an old version of a source that lists only the shasum. */
  readonly integrity: string;
  /** SHA-1, lower-case hex. Empty for a version of a source that lists none. */
  readonly shasum: string;
  /** PGP signature that npmjs made for old versions, as its document has it. */
  readonly npmSignature?: string;
  /** Undefined for a version of a source that does not tell, like the next. */
  readonly fileCount?: number | undefined;
  readonly unpackedSize?: number | undefined;
  readonly publishedAt: Date;
  readonly deprecated?: string;
  /** Returned only while the registry lists its keys to clients. */
  readonly signatures?: readonly RegistrySignature[];
  /** Predicate type of the provenance statement; undefined without one. */
  readonly provenance?: string;
  /** Its tarball is missing or damaged: no installer can fetch it. */
  readonly isDamaged?: true;
};

/** A version whose tarball was read here. */
export type StoredNpmVersion = NpmVersion & {
  readonly fileCount: number;
  readonly unpackedSize: number;
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

/** As `StagedTarball.keep` gives it. */
export type SavedBlob = NamedBlob & {
  /** The whole bytes when they are small enough for a row: then no object is stored. */
  readonly bytes?: Uint8Array | undefined;
  /** The stored bytes were missing or damaged, and these bytes replaced them. */
  readonly isRestored?: true;
};

/** A version for the recorder, with its kept blob and tags. */
export type NewNpmVersion = Omit<StoredNpmVersion, "provenance" | "isDamaged"> & {
  readonly name: string;
  /** The package source that it comes from. */
  readonly mirroredFrom?: string | undefined;
  readonly blob: SavedBlob;
  /** When it is taken in, where it was published long before, elsewhere. The limit of dist-tags
   * does not apply to such a version. */
  readonly recordedAt?: Date;
  /** The tags that shall point to this version; the recorder adds `latest` where the package has
   * none yet. */
  readonly tags: readonly string[];
  readonly readme?: string;
  readonly readmeFilename?: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** Lower-case names of all that it depends on, but for development; each once, sorted. */
  readonly dependencyNames: readonly string[];
  /** Visibility in the publish; applies only to a new package. */
  readonly access?: PackageAccess;
  readonly attestations?: readonly Attestation[];
};
