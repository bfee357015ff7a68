import type { RsaSignature, Signer } from "../ports.ts";

/**
 * Makes other signatures than those of packages with the same key; undefined when the key, or its
 * service, does not support them.
 */
export function rsaSigner(
  signer: Signer,
  rsaSignature: RsaSignature,
): ((data: Uint8Array) => Promise<Uint8Array>) | undefined {
  const { hash, scheme = "pkcs1" } = signer;
  if (hash === rsaSignature.hash && scheme === rsaSignature.scheme)
    return (data) => signer.sign(data);
  const as = signer.signAs?.bind(signer);
  return as && ((data) => as(data, rsaSignature));
}
