import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { SourceError } from "../source-error.ts";

/** RFC 8410: PKCS#8 of an Ed25519 key, before its 32 bytes. */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

/** The Ed25519 key that has this seed of 32 bytes. */
export function bundleKeyOf(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([PKCS8_HEAD, seed]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

/** Its public key: SubjectPublicKeyInfo as PEM. */
export function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ format: "pem", type: "spki" }).toString();
}

/** 64 bytes, which `openssl pkeyutl -verify -rawin` accepts, too. */
export function signIndex(key: KeyObject, index: Uint8Array): Uint8Array {
  return sign(undefined, index, key);
}

/** @throws {SourceError} when the text is not a PEM of an Ed25519 public key */
export function parseTrustKey(pem: string): KeyObject {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Reported below.
  }
  throw new SourceError(
    "The trusted key is not an Ed25519 public key in PEM. Print it where the bundle comes from: " +
      "sealhouse bundle key.",
  );
}

export function isSignedIndex(key: KeyObject, index: Uint8Array, signature: Uint8Array): boolean {
  return verify(undefined, index, key, signature);
}
