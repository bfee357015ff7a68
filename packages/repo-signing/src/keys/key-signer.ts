import type { KeyObject } from "node:crypto";
import { constants, sign } from "node:crypto";
import type { HashName } from "../hash.ts";
import type { SignatureScheme, Signer } from "../ports.ts";

/** Signs with an RSA key of this process. The work is done off the event loop. */
export function createKeySigner(options: {
  /** DER, the signing certificate first. */
  readonly chain: readonly Uint8Array[];
  readonly key: KeyObject;
  readonly hash: HashName;
  readonly scheme?: SignatureScheme;
}): Signer {
  const { chain, key, hash, scheme = "pkcs1" } = options;
  return {
    chain,
    hash,
    scheme,
    sign: (data) => signWithKey(data, { key, hash, scheme }),
    signAs: (data, how) => signWithKey(data, { key, ...how }),
  };
}

/** RSASSA-PKCS1-v1_5. */
export function signPkcs1(data: Uint8Array, key: KeyObject, hash: HashName): Promise<Uint8Array> {
  return signWithKey(data, { key, hash, scheme: "pkcs1" });
}

function signWithKey(
  data: Uint8Array,
  how: { readonly key: KeyObject; readonly hash: HashName; readonly scheme: SignatureScheme },
): Promise<Uint8Array> {
  const { key, hash, scheme } = how;
  return new Promise((resolve, reject) => {
    sign(hash.toLowerCase(), data, { key, ...PADDING[scheme] }, (error, signature) => {
      if (error) reject(error);
      else resolve(signature);
    });
  });
}

/** Options of `crypto.sign` and `crypto.verify` for each scheme. */
export const PADDING: Readonly<
  Record<SignatureScheme, { readonly padding: number; readonly saltLength?: number }>
> = {
  pkcs1: { padding: constants.RSA_PKCS1_PADDING },
  pss: {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  },
};

/** A private key with its certificate, as PKCS#12 files carry them. */
export type KeyWithCertificate = {
  readonly key: KeyObject;
  /** DER, the certificate of the key first, then its issuers. */
  readonly chain: readonly Uint8Array[];
};
