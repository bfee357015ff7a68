import type { HashName } from "../hash.ts";

/**
 * Scheme and hash of a signature on a certificate or a request. ECDSA signatures are `r` and `s` in
 * 64 octets.
 */
export type CertificateScheme = "pkcs1" | "pss" | "ecdsa-p256";

/** A key that signs certificates or requests, wherever it lives. */
export type CertificateKey = {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  readonly hash: HashName;
  readonly scheme: CertificateScheme;
  /** Signs `data` with `hash` and `scheme`. */
  sign(data: Uint8Array): Promise<Uint8Array>;
};

/** Purposes of a certificate's key; `usage` is an object identifier. */
export type CertificatePurpose =
  | { readonly type: "authority" }
  | { readonly type: "end-entity"; readonly usage: string; readonly critical: boolean };
