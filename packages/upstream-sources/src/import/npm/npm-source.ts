import type { RemotePackument, RemoteVersion } from "@sealhouse/npm-protocol/client";

/** A folder or registry that packages are imported from. Its methods throw `SourceError`. */
export type NpmSource = {
  /** Returns all names, or those that can be discovered. */
  names(signal: AbortSignal): Promise<PackageNames>;
  /** Returns undefined when the source has no such package. */
  open(name: string, signal: AbortSignal): Promise<SourcePackage | undefined>;
};

/** Names that a source lists. */
export type PackageNames = {
  /** Unique. */
  readonly names: readonly string[];
  /** Limits of the list, for the operator. */
  readonly remarks: readonly string[];
};

/** One package of a source, with access to its tarballs. */
export type SourcePackage = {
  readonly packument: RemotePackument;
  /** Reading tarballs is cheap enough for a dry run. */
  readonly isNear: boolean;
  /** Returns undefined when the source has no tarball of the version. */
  tarball(version: RemoteVersion, signal: AbortSignal): Promise<SourceTarball | undefined>;
  /** Returns the provenance of a version: a Sigstore bundle as JSON text. */
  provenance(version: RemoteVersion, signal: AbortSignal): Promise<string | undefined>;
};

/** A tarball of a source. Disposal ends its transfer. */
export type SourceTarball = AsyncDisposable & { readonly body: AsyncIterable<Uint8Array> };
