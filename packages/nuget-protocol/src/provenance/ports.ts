import type { ByteSource } from "@sealhouse/http-responses";
import type { FileDigests, Seal, StoredPackage } from "../stored-package.ts";

/** Known facts of the files of one version, over all signatures of the feed. */
export type Provenance = {
  readonly id: string;
  readonly version: string;
  /** The received file. */
  readonly received: FileDigests & { readonly size: number };
  /** Base64 SHA-512 of the package without any signature, as lock files have it. Undefined until
   * it is known of a package that came signed. */
  readonly contentHash: string | undefined;
  /** Oldest first. All but the last were replaced by the next. */
  readonly signed: readonly SignedFile[];
};

/** A file that the feed made by signing. */
export type SignedFile = {
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
  /** In bytes. */
  readonly size: number;
  readonly signedAt: Date;
  /** Undefined for the current file. */
  readonly replacedAt: Date | undefined;
  /** Undefined until a job has read the file: signing does not read it. */
  readonly digests: FileDigests | undefined;
};

/** Id and version are lower-cased, as in all lookups. */
export interface ProvenanceLookup {
  find(id: string, version: string): Promise<Provenance | undefined>;
}

/** Files of a version to read before its provenance is complete. */
export type Unhashed = {
  readonly stored: StoredPackage;
  readonly lacksContentHash: boolean;
  /** Signed files with unknown digests, including replaced ones. */
  readonly seals: readonly Seal[];
};

/** Digests that a job has computed: the content hash, or those of a signed file. */
export type KnownDigests =
  | { readonly type: "content-hash"; readonly contentHash: string }
  | { readonly type: "signed"; readonly seal: Seal; readonly digests: FileDigests };

/** Digests that a job computes later. */
export interface DigestKeeper {
  /** Undefined when there is no such version. Id and version lower-cased. */
  unhashed(id: string, version: string): Promise<Unhashed | undefined>;
  /** Nothing happens when the version has other bytes by now, or the seal is gone. */
  keep(stored: StoredPackage, digests: KnownDigests): Promise<void>;
}

/** Reads packages to compute unknown facts. */
export interface HashableFiles {
  /** The file that a seal makes of the stored one, signed. */
  signed(stored: StoredPackage, seal: Seal): Promise<ByteSource>;
  /** Base64 SHA-512 of the stored package without any signature; undefined when its archive cannot
   * be read that way. */
  contentHash(stored: StoredPackage): Promise<string | undefined>;
}
