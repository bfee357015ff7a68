import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { TokenRecord } from "./ports.ts";

/** HMAC-SHA-256 with the pepper as key; the scheme of new hashes. */
export const NEWEST_SCHEME = 1;
const IMPORTED_SCHEME = 0;

/** Hashes a token with the newest scheme: lower-case hex. */
export function hashToken(text: string, pepper: string): string {
  return createHmac("sha256", pepper).update(text).digest("hex");
}

export type HashedToken = {
  readonly text: string;
  /** Hash of the newest scheme, from `hashToken`. */
  readonly hash: string;
};

/** Whether a token matches a record. Takes constant time. */
export function isTokenOf(
  token: HashedToken,
  record: Pick<TokenRecord, "hash" | "scheme">,
  pepper: string,
): boolean {
  const hash = hashIn(record.scheme, token, pepper);
  if (hash === undefined) return false;
  const [expected, actual] = [Buffer.from(record.hash), Buffer.from(hash)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function hashIn(scheme: number, { text, hash }: HashedToken, pepper: string): string | undefined {
  if (scheme === NEWEST_SCHEME) return hash;
  if (scheme === IMPORTED_SCHEME) {
    return createHash("sha256").update(text).update(pepper).digest("hex");
  }
  return undefined;
}
