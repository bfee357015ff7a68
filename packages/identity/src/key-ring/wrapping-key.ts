import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { KeyRingError } from "../errors.ts";

/** Where the wrapping key of the key files comes from: the setting itself, or a file. */
export type WrappingKeySource =
  | { readonly type: "value"; readonly value: string }
  | { readonly type: "file"; readonly path: string };

/** Encrypts the keys of key files with AES-256-GCM. */
export type WrappingKey = {
  /** 16 hex digits that tell wrapping keys apart and reveal nothing about them. */
  readonly id: string;
  /** Returns nonce, ciphertext and tag. `context` must be the same for `unwrap`. */
  wrap(key: Uint8Array, context: string, nonce: Uint8Array): Uint8Array;
  /** Returns undefined when the bytes or the context were changed. */
  unwrap(wrappedKey: Uint8Array, context: string): Uint8Array | undefined;
};

export const WRAPPING_NONCE_BYTES = 12;

const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** 32 bytes as base64 or base64url. */
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;
const SETTING = "Host__DataProtection__KeyEncryptionKey";

/** Decodes 32 bytes of base64 or base64url; undefined for any other text. */
export function parseWrappingKey(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  return BASE64_KEY.test(trimmed) ? Buffer.from(trimmed, "base64") : undefined;
}

/**
 * Reads the wrapping key.
 *
 * @throws KeyRingError `bad-wrapping-key` when it is not 32 bytes as base64, or the file is
 *   unreadable
 */
export async function openWrappingKey(source: WrappingKeySource): Promise<WrappingKey> {
  if (source.type === "value") {
    const secret = parseWrappingKey(source.value);
    if (secret) return createWrappingKey(secret);
    throw new KeyRingError("bad-wrapping-key", `${SETTING} is not 32 bytes as base64.`);
  }
  const secret = parseWrappingKey(await readKeyFile(source.path));
  if (secret) return createWrappingKey(secret);
  throw new KeyRingError(
    "bad-wrapping-key",
    `${SETTING}Path: the file ${source.path} does not contain 32 bytes as base64.`,
  );
}

async function readKeyFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KeyRingError("bad-wrapping-key", `${SETTING}Path: cannot read the file: ${reason}.`, {
      cause,
    });
  }
}

/** Creates a wrapping key of 32 secret bytes. */
export function createWrappingKey(secret: Uint8Array): WrappingKey {
  const derive = (purpose: string, size: number) =>
    Buffer.from(hkdfSync("sha256", secret, "", `sealhouse/v1/key-encryption/${purpose}`, size));
  const key = derive("wrap", KEY_BYTES);
  return {
    id: derive("id", 8).toString("hex"),
    wrap(plainKey, context, nonce) {
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      cipher.setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(plainKey), cipher.final()]);
      return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
    },
    unwrap(wrappedKey, context) {
      const nonce = wrappedKey.subarray(0, WRAPPING_NONCE_BYTES);
      const cipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      cipher.setAuthTag(wrappedKey.subarray(-TAG_BYTES));
      try {
        const ciphertext = wrappedKey.subarray(WRAPPING_NONCE_BYTES, -TAG_BYTES);
        return Buffer.concat([cipher.update(ciphertext), cipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
