import type { RemotePackument, RemoteVersion } from "@sealhouse/npm-protocol/client";

/** Where packages come from: a folder, or a registry. What goes wrong with it is a
 * `SourceError`. */
export type NpmSource = {
  /** Every name there is, or all that can be found out. */
  names(signal: AbortSignal): Promise<FoundNames>;
  /** Undefined when it has no such package. */
  open(name: string, signal: AbortSignal): Promise<SourcePackage | undefined>;
};

export type FoundNames = {
  /** Each once. */
  readonly names: readonly string[];
  /** What the operator should know about the list. */
  readonly remarks: readonly string[];
};

export type SourcePackage = {
  readonly packument: RemotePackument;
  /** Reading the bytes costs little enough to do it for a dry run. */
  readonly isNear: boolean;
  /** Undefined when it is not there. */
  tarball(version: RemoteVersion, signal: AbortSignal): Promise<SourceTarball | undefined>;
  /** The statement about where a version comes from: a Sigstore bundle, JSON text. */
  provenance(version: RemoteVersion, signal: AbortSignal): Promise<string | undefined>;
};

export type SourceTarball = AsyncDisposable & { readonly body: AsyncIterable<Uint8Array> };
