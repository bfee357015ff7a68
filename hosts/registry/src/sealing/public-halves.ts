import type { SealKeys } from "@sealhouse/oci-distribution/seal";

/** PEM of the key that `cosign verify --key` takes. */
export async function cosignPublicKey(keys: SealKeys): Promise<string> {
  const { publicKey } = await keys.cosign();
  return publicKey.export({ format: "pem", type: "spki" }).toString();
}

/** PEM of the certificate that `notation cert add --type ca` takes. */
export async function notationRoot(keys: SealKeys): Promise<string> {
  const { chain } = await keys.notation();
  const base64 = Buffer.from(chain.at(-1) ?? []).toString("base64");
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
