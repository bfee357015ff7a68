import { createHash, createPublicKey, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";

/** One entry of `dist.signatures`. */
export type RegistrySignature = {
  readonly keyid: string;
  /** ECDSA over P-256 and SHA-256; DER, base64. */
  readonly sig: string;
};

/** The text that a registry signature covers. */
export type SignedVersion = {
  readonly name: string;
  readonly version: string;
  /** Exactly as `dist.integrity` says it. */
  readonly integrity: string;
};

/** `publicKey` is SubjectPublicKeyInfo in DER. As npm's own registry names its keys. */
export function keyIdOf(publicKey: Uint8Array): string {
  const digest = createHash("sha256").update(publicKey).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}

export function signVersion(
  version: SignedVersion,
  key: { readonly keyId: string; readonly privateKey: KeyObject },
): RegistrySignature {
  const sig = sign("sha256", messageOf(version), key.privateKey).toString("base64");
  return { keyid: key.keyId, sig };
}

/** `publicKey` is SubjectPublicKeyInfo, DER in base64, as `/-/npm/v1/keys` shows it. */
export function isSignedBy(version: SignedVersion, sig: string, publicKey: string): boolean {
  const key = createPublicKey({
    key: Buffer.from(publicKey, "base64"),
    format: "der",
    type: "spki",
  });
  return verify("sha256", messageOf(version), key, Buffer.from(sig, "base64"));
}

/** It does not contain the host, so a signature is valid behind any address. */
function messageOf({ name, version, integrity }: SignedVersion): Buffer {
  return Buffer.from(`${name}@${version}:${integrity}`);
}
