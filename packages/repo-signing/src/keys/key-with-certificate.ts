import type { KeyObject } from "node:crypto";

/** A private key with its certificate, as PKCS#12 files carry them. */
export type KeyWithCertificate = {
  readonly key: KeyObject;
  /** DER, the certificate of the key first, then its issuers. */
  readonly chain: readonly Uint8Array[];
};
