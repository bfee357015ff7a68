import { hash as digestOf } from "node:crypto";
import { OID } from "./der/oid.ts";

/** The digests NuGet accepts for content, attributes and signatures. */
export type HashName = "SHA256" | "SHA384" | "SHA512";

export const HASH_OID: Readonly<Record<HashName, string>> = {
  SHA256: OID.sha256,
  SHA384: OID.sha384,
  SHA512: OID.sha512,
};

export const HASH_BYTES: Readonly<Record<HashName, number>> = {
  SHA256: 32,
  SHA384: 48,
  SHA512: 64,
};

/** SHA-1 is supported only to identify and refuse old timestamps. */
const HASH_OF_OID: ReadonlyMap<string, HashName | "SHA1"> = new Map([
  [OID.sha1, "SHA1"],
  [OID.sha256, "SHA256"],
  [OID.sha384, "SHA384"],
  [OID.sha512, "SHA512"],
]);

export function hashOf(oid: string): HashName | "SHA1" | undefined {
  return HASH_OF_OID.get(oid);
}

/** A digest that NuGet accepts, or undefined. */
export function acceptedHashOf(oid: string): HashName | undefined {
  const hash = HASH_OF_OID.get(oid);
  return hash === "SHA1" ? undefined : hash;
}

export function digest(hash: HashName | "SHA1", bytes: Uint8Array): Buffer {
  return digestOf(hash.toLowerCase(), bytes, "buffer");
}

/** Lower-case hex of the SHA-256, which identifies certificates throughout the project. */
export function fingerprintOf(der: Uint8Array): string {
  return digest("SHA256", der).toString("hex");
}

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
