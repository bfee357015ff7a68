import type { ByteSource } from "@sealhouse/http-responses";
import type { Seal, StoredPackage } from "../stored-package.ts";

/** What is known of the files of one version, through every signature the feed gave it. */
export type Provenance = {
  readonly id: string;
  readonly version: string;
  /** The file as it was received. */
  readonly received: FileDigests & { readonly size: number };
  /** Base64 SHA-512 of the package without any signature, as lock files have it. Undefined until
   * it is known of a package that came signed. */
  readonly contentHash: string | undefined;
  /** Oldest first. All but the last were replaced by the next. */
  readonly signed: readonly SignedFile[];
};

export type FileDigests = {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Base64. */
  readonly sha512: string;
};

/** A file that the feed made by signing. */
export type SignedFile = {
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
  /** In bytes. */
  readonly size: number;
  readonly signedAt: Date;
  /** Undefined: it is the one of today. */
  readonly replacedAt: Date | undefined;
  /** Undefined until somebody has read the file through: signing does not. */
  readonly digests: FileDigests | undefined;
};

/** Id and version lower-cased, as in all look-ups. */
export interface ProvenanceLookup {
  find(id: string, version: string): Promise<Provenance | undefined>;
}

/** What of a version has to be read through before its provenance is complete. */
export type Unhashed = {
  readonly stored: StoredPackage;
  readonly lacksContentHash: boolean;
  /** Of signed files whose digests are not known, replaced ones too. */
  readonly seals: readonly Seal[];
};

export type KnownDigests =
  | { readonly type: "content-hash"; readonly contentHash: string }
  | { readonly type: "signed"; readonly seal: Seal; readonly digests: FileDigests };

/** Digests that are found out later, by whoever has the time. */
export interface DigestKeeper {
  /** Undefined when there is no such version. Id and version lower-cased. */
  unhashed(id: string, version: string): Promise<Unhashed | undefined>;
  /** Nothing happens when the version has other bytes by now, or the seal is gone. */
  keep(stored: StoredPackage, known: KnownDigests): Promise<void>;
}

/** Reads packages for what is not known of them. */
export interface HashableFiles {
  /** The file that a seal makes of the stored one, signed. */
  signed(stored: StoredPackage, seal: Seal): Promise<ByteSource>;
  /** Base64 SHA-512 of the stored package without any signature; undefined when its archive cannot
   * be read that way. */
  contentHash(stored: StoredPackage): Promise<string | undefined>;
}
