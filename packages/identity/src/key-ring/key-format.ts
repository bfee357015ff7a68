import { KeyRingError } from "../errors.ts";
import type { WrappingKey } from "./wrapping-key.ts";
import { WRAPPING_NONCE_BYTES } from "./wrapping-key.ts";

/** Size of a key of the ring. */
export const KEY_BYTES = 32;

/** A key as its file contains it. */
export type StoredKey = {
  readonly secret: Uint8Array;
  /** Undefined in the first format, which has no date. */
  readonly createdAt: Date | undefined;
  readonly isWrapped: boolean;
};

type ParseOptions = {
  /** For messages. */
  readonly path: string;
  readonly wrappingKey?: WrappingKey | undefined;
};

const VERSION = 2;
/** The first format: 32 bytes as base64url, and an optional newline. */
const FIRST_FORMAT = /^[A-Za-z0-9_-]{43}\n?$/;
const BASE64URL_KEY = /^[A-Za-z0-9_-]{43}$/;
/** Nonce, 32 bytes and tag as base64url. */
const WRAPPED_KEY = /^[A-Za-z0-9_-]{80}$/;
const SETTING = "Host__DataProtection__KeyEncryptionKey";

/**
 * Reads the text of a key file. Returns undefined when the text is incomplete or has another
 * format.
 *
 * @throws KeyRingError `wrapping-key-missing`, `wrapping-key-wrong`, or `bad-key-file` for a
 *   changed or newer file
 */
export function parseKey(text: string, options: ParseOptions): StoredKey | undefined {
  if (FIRST_FORMAT.test(text)) {
    const secret = Buffer.from(text.trim(), "base64url");
    return { secret, createdAt: undefined, isWrapped: false };
  }
  const fields = fieldsOf(text);
  if (!fields) return undefined;
  const { version, createdAt: time, key } = fields;
  if (typeof version === "number" && version > VERSION) {
    throw new KeyRingError("bad-key-file", `${options.path} has the format of a newer release.`);
  }
  const createdAt = typeof time === "string" ? new Date(time) : undefined;
  if (version !== VERSION || !createdAt || Number.isNaN(createdAt.getTime())) return undefined;
  if (typeof key === "string" && BASE64URL_KEY.test(key)) {
    return { secret: Buffer.from(key, "base64url"), createdAt, isWrapped: false };
  }
  const secret = unwrapKey(fields, createdAt, options);
  return secret && { secret, createdAt, isWrapped: true };
}

function unwrapKey(
  { wrappedKey, wrappingKeyId }: Fields,
  createdAt: Date,
  { path, wrappingKey }: ParseOptions,
): Uint8Array | undefined {
  if (typeof wrappedKey !== "string" || !WRAPPED_KEY.test(wrappedKey)) return undefined;
  if (!wrappingKey) throw missing(path);
  if (wrappingKeyId !== wrappingKey.id) throw wrong(path);
  const bytes = Buffer.from(wrappedKey, "base64url");
  const secret = wrappingKey.unwrap(bytes, contextOf(createdAt));
  if (secret) return secret;
  throw new KeyRingError(
    "bad-key-file",
    `${path} was changed: its wrapped key cannot be decrypted. Restore the file from a backup.`,
  );
}

/** A key for `formatKey`. */
export type NewKey = { readonly secret: Uint8Array; readonly createdAt: Date };

/** Returns the text of a key file: one line of JSON. With a wrapping key, the key is encrypted. */
export function formatKey(
  { secret, createdAt }: NewKey,
  {
    wrappingKey,
    random,
  }: {
    readonly wrappingKey?: WrappingKey | undefined;
    readonly random: (size: number) => Uint8Array;
  },
): string {
  const head = { version: VERSION, createdAt: createdAt.toISOString() };
  const plainKey = Buffer.from(secret).toString("base64url");
  if (!wrappingKey) return `${JSON.stringify({ ...head, key: plainKey })}\n`;
  const wrapped = wrappingKey.wrap(secret, contextOf(createdAt), random(WRAPPING_NONCE_BYTES));
  const wrappedKey = Buffer.from(wrapped).toString("base64url");
  return `${JSON.stringify({ ...head, wrappedKey, wrappingKeyId: wrappingKey.id })}\n`;
}

function contextOf(createdAt: Date): string {
  return `sealhouse/key-file/${VERSION}/${createdAt.toISOString()}`;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function missing(path: string): KeyRingError {
  return new KeyRingError(
    "wrapping-key-missing",
    `${SETTING} is not set, and ${path} is encrypted with it. Set it to the key that encrypted ` +
      "the file.",
  );
}

function wrong(path: string): KeyRingError {
  return new KeyRingError(
    "wrapping-key-wrong",
    `${SETTING} is not the key that encrypted ${path}. Set it to that key.`,
  );
}
