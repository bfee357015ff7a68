import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { KeyRingError } from "../errors.ts";
import { KEY_BYTES } from "./key-format.ts";

/** A key of the ring, which derives one key for each purpose. */
export type RingKey = {
  /** 16 hex digits, which every encrypted value contains. */
  readonly id: string;
  derive(info: string): Buffer;
};

/** Layout: version, key id, nonce, ciphertext, tag. The tag also covers version and key id. */
const VERSION = 1;
const ID_BYTES = 8;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + ID_BYTES;

/** Size of the nonce of `encrypt`. */
export const NONCE_BYTES = 12;

export function ringKeyOf(secret: Uint8Array, applicationName: string): RingKey {
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, applicationName, `sealhouse/v1/${info}`, length));
  return { id: derive("id", ID_BYTES).toString("hex"), derive: (info) => derive(info, KEY_BYTES) };
}

/** A purpose with the key and the nonce for one value. */
export type Encryption = {
  readonly key: RingKey;
  readonly purpose: string;
  readonly nonce: Uint8Array;
};

export function encrypt({ key, purpose, nonce }: Encryption, bytes: Uint8Array): Uint8Array {
  const head = Buffer.concat([Buffer.from([VERSION]), Buffer.from(key.id, "hex")]);
  const cipher = createCipheriv("aes-256-gcm", key.derive(`protect/${purpose}`), nonce);
  cipher.setAAD(head);
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([head, nonce, ciphertext, cipher.getAuthTag()]);
}

/** @throws KeyRingError `not-protected` when `encrypt` did not make the bytes */
export function keyIdOf(bytes: Uint8Array): string {
  if (bytes.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) {
    throw new KeyRingError("not-protected", "The data is not encrypted by a key ring.");
  }
  return Buffer.from(bytes.subarray(1, HEAD_BYTES)).toString("hex");
}

/** @throws KeyRingError `tampered` for changed data, or data of another purpose */
export function decrypt(key: RingKey, purpose: string, bytes: Uint8Array): Uint8Array {
  const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
  const cipher = createDecipheriv("aes-256-gcm", key.derive(`protect/${purpose}`), nonce, {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(bytes.subarray(0, HEAD_BYTES));
  cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const ciphertext = bytes.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([cipher.update(ciphertext), cipher.final()]);
  } catch (cause) {
    const message = `The data was changed, or was not encrypted for "${purpose}".`;
    throw new KeyRingError("tampered", message, { cause });
  }
}
