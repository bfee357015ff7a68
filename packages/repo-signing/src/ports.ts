/** Bytes of a known size that can be read again, whole or in part. `end` is inclusive. */
export type PackageBytes = {
  readonly size: number;
  read(
    range?: { readonly start: number; readonly end: number },
    options?: PackageReadOptions,
  ): AsyncIterable<Uint8Array>;
};

/** Options of `PackageBytes.read`. */
export type PackageReadOptions = {
  /** Allows the source to overwrite a chunk as soon as the caller requests the next one. */
  readonly reuse?: boolean;
};

/** Signs with a key that may live elsewhere. One method, so that any key service fits. */
export interface Signer {
  /** DER, the signing certificate first, then its issuers. */
  readonly chain: readonly Uint8Array[];
  readonly hash: "SHA256" | "SHA384" | "SHA512";
  /** RSASSA-PKCS1-v1_5 unless this says RSASSA-PSS, with MGF1 and a salt as long as the hash. */
  readonly scheme?: SignatureScheme;
  /** Over `data` with `hash`. */
  sign(data: Uint8Array): Promise<Uint8Array>;
  /** Any other RSA signature of the same key; absent where the key makes but one kind. */
  signAs?(data: Uint8Array, how: RsaSignature): Promise<Uint8Array>;
}

/** Signature scheme of an RSA key. */
export type RsaSignature = {
  readonly hash: "SHA256" | "SHA384" | "SHA512";
  readonly scheme: SignatureScheme;
};

/** RSASSA-PKCS1-v1_5 or RSASSA-PSS. */
export type SignatureScheme = "pkcs1" | "pss";

/** A certificate that signs, has signed, or is prepared to; stays when its file is gone. */
export type CertificateRecord = {
  /** SHA-256 of the DER form, lower-case hex. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Since when the feed lists it. */
  readonly listedAt: Date;
  /** When it took over, or will: in the future while it is prepared. */
  readonly firstUsedAt: Date;
  readonly lastUsedAt: Date;
  /** False once an operator withdrew it. */
  readonly active: boolean;
  readonly der: Uint8Array;
};

/** Facts of a certificate. */
export type CertificateFacts = Omit<
  CertificateRecord,
  "listedAt" | "firstUsedAt" | "lastUsedAt" | "active"
>;

/** Where certificate records are kept. */
export interface CertificateLedger {
  /**
   * Inserts the record with its `certificate.created` event, or moves `lastUsedAt` forward. A
   * prepared certificate becomes active by its first use.
   */
  used(certificate: CertificateFacts, time: Date): Promise<void>;
  /** Lists a certificate before it signs. A known one keeps its `firstUsedAt`, unless `signsFrom`
   * is earlier. */
  announce(
    certificate: CertificateFacts,
    times: { readonly at: Date; readonly signsFrom: Date },
  ): Promise<CertificateRecord>;
  list(): Promise<readonly CertificateRecord[]>;
  find(fingerprint: string): Promise<CertificateRecord | undefined>;
}

/** Where the self-signed certificate's PFX file is kept; an object store, through the host. */
export interface CertificateFile {
  read(): Promise<Uint8Array | undefined>;
  /**
   * Replaces `before` by `pfx`, or creates the file when `before` is undefined. Of several
   * concurrent writers one gets "written", and all of them read its file.
   */
  write(pfx: Uint8Array, before: Uint8Array | undefined): Promise<"written" | "exists">;
}

/** A stored file that is sealed when it is first asked for. */
export type SealedName = {
  readonly id: string;
  readonly version: string;
  /** SHA-256 of the received file, lower-case hex. */
  readonly sha256: string;
};

/** Stores a seal that was made on demand; the first writer wins and all requests get that seal. */
export interface SealKeeper<Seal> {
  /**
   * When the version has other bytes by now, nothing is stored and the given seal is returned, for
   * the bytes that it signs. Undefined: its certificate was retired in the meantime, and the
   * package is served unchanged.
   */
  keep(sealedName: SealedName, seal: Seal): Promise<Seal | undefined>;
}

/** Where a seal that another instance has made in the meantime is found. */
export interface SealLookup<Seal> {
  find(name: SealedName): Promise<Seal | undefined>;
}
