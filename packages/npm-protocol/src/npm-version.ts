import type { PackageAccess } from "./owners/ports.ts";
import type { Attestation } from "./provenance/ports.ts";
import type { RegistrySignature } from "./signatures/registry-signature.ts";

/** A version as stored; `manifest` is its final JSON text without `dist` and `deprecated`. */
export type NpmVersion = {
  readonly version: string;
  readonly manifest: string;
  /** The same, cut down to what the abbreviated packument holds. */
  readonly abbreviated: string;
  /** SRI: `sha512-…`. */
  readonly integrity: string;
  /** SHA-1, lower-case hex. */
  readonly shasum: string;
  readonly fileCount: number;
  readonly unpackedSize: number;
  readonly publishedAt: Date;
  readonly deprecated?: string;
  /** Given back only while clients are told of the keys. */
  readonly signatures?: readonly RegistrySignature[];
  /** Predicate type of the statement that tells where it comes from, when there is one. */
  readonly provenance?: string;
};

export type NamedBlob = {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Its object was found missing or changed: nobody may read it. */
  readonly isDamaged?: true;
};

/** As `StagedTarball.keep` gives it. */
export type KeptBlob = NamedBlob & {
  /** All of them, when they are so few that the recorder keeps them beside the name: then nothing
   * is stored yet. */
  readonly bytes?: Uint8Array | undefined;
};

export type NewNpmVersion = Omit<NpmVersion, "deprecated" | "provenance"> & {
  readonly name: string;
  readonly blob: KeptBlob;
  /** When it is taken in, where it was published long before, elsewhere. */
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
  /** What its publisher said; counts for a new package only. */
  readonly access?: PackageAccess;
  readonly attestations?: readonly Attestation[];
};
