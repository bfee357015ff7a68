import type { KeyObject } from "node:crypto";
import { constants, sign } from "node:crypto";
import type { HashName } from "./hash.ts";
import type { Signer } from "./ports.ts";

/** Signs with an RSA key of this process. The work is done off the event loop. */
export function createKeySigner(options: {
  /** DER, the signing certificate first. */
  readonly chain: readonly Uint8Array[];
  readonly key: KeyObject;
  readonly hash: HashName;
}): Signer {
  const { chain, key, hash } = options;
  return { chain, hash, sign: (data) => signPkcs1(data, key, hash) };
}

/** RSASSA-PKCS1-v1_5. */
export function signPkcs1(data: Uint8Array, key: KeyObject, hash: HashName): Promise<Uint8Array> {
  const padding = constants.RSA_PKCS1_PADDING;
  return new Promise((resolve, reject) => {
    sign(hash.toLowerCase(), data, { key, padding }, (error, signature) => {
      if (error) reject(error);
      else resolve(signature);
    });
  });
}
