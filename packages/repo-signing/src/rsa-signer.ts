import type { RsaSignature, Signer } from "./ports.ts";

/** What makes signatures of another kind than those of packages with the same key; undefined where
 * the key, or the service that keeps it, cannot. */
export function rsaSigner(
  signer: Signer,
  wanted: RsaSignature,
): ((data: Uint8Array) => Promise<Uint8Array>) | undefined {
  const { hash, scheme = "pkcs1" } = signer;
  if (hash === wanted.hash && scheme === wanted.scheme) return (data) => signer.sign(data);
  const as = signer.signAs?.bind(signer);
  return as && ((data) => as(data, wanted));
}
