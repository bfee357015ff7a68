import type { SealKeys } from "./ports.ts";

/** The public key for `cosign verify --key`, as PEM. */
export async function cosignPublicKey(keys: SealKeys): Promise<string> {
  const { publicKey } = await keys.cosign();
  return publicKey.export({ format: "pem", type: "spki" }).toString();
}

/** The root certificate for `notation cert add --type ca`, as PEM. */
export async function notationRoot(keys: SealKeys): Promise<string> {
  const { chain } = await keys.notation();
  const base64 = Buffer.from(chain.at(-1) ?? []).toString("base64");
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
