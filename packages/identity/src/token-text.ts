import { crc32 } from "node:zlib";

/** A text in the form of a token; only the store knows whether the token exists. */
export type TokenText = {
  readonly text: string;
  /** `issued`: by this registry. `imported`: 32 hex characters, from the earlier host. */
  readonly form: "issued" | "imported";
  /** Lookup key of the store. */
  readonly prefix: string;
};

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const MARK = "shp_";
const SECRET_BYTES = 32;
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_LENGTH = 43;
const CHECK_LENGTH = 6;
const ISSUED = /^shp_[0-9A-Za-z]{49}$/;
const IMPORTED = /^[0-9a-f]{32}$/;

/**
 * Parses a token: `shp_`, 43 characters of base62, and 6 characters of CRC32 over the rest.
 * Undefined for any other text, so that typing errors and scans never reach the database.
 */
export function parseTokenText(text: string): TokenText | undefined {
  if (ISSUED.test(text)) {
    const body = text.slice(0, -CHECK_LENGTH);
    if (checkOf(body) !== text.slice(-CHECK_LENGTH)) return undefined;
    return { text, form: "issued", prefix: text.slice(0, 12) };
  }
  if (IMPORTED.test(text)) return { text, form: "imported", prefix: text.slice(0, 8) };
  return undefined;
}

/** Formats 32 random bytes as a new token. */
export function formatToken(secret: Uint8Array): TokenText {
  if (secret.length !== SECRET_BYTES) {
    throw new RangeError(`A token requires ${SECRET_BYTES} random bytes, not ${secret.length}.`);
  }
  const number = BigInt(`0x${Buffer.from(secret).toString("hex")}`);
  const body = MARK + base62(number, SECRET_LENGTH);
  const text = body + checkOf(body);
  return { text, form: "issued", prefix: text.slice(0, 12) };
}

function checkOf(body: string): string {
  return base62(BigInt(crc32(body)), CHECK_LENGTH);
}

function base62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text.padStart(length, "0");
}
