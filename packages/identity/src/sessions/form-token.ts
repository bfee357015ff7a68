import { createHmac, timingSafeEqual } from "node:crypto";

const MAC_BYTES = 32;

/**
 * Creates the token of a form: an HMAC of its purpose. It is masked with new random bytes each
 * time, because pages are compressed together with texts of the request.
 */
export function makeFormToken(
  { key, purpose }: { readonly key: string; readonly purpose: string },
  random: (size: number) => Uint8Array,
): string {
  const pad = Buffer.from(random(MAC_BYTES));
  return Buffer.concat([pad, masked(macOf(key, purpose), pad)]).toString("base64url");
}

/** Whether a token was made with the same key for the same purpose. */
export function isFormToken(
  token: string,
  { key, purpose }: { readonly key: string; readonly purpose: string },
): boolean {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== 2 * MAC_BYTES) return false;
  const mac = masked(bytes.subarray(MAC_BYTES), bytes.subarray(0, MAC_BYTES));
  return timingSafeEqual(mac, macOf(key, purpose));
}

function macOf(key: string, purpose: string): Buffer {
  return createHmac("sha256", key).update(`form\n${purpose}`).digest();
}

function masked(bytes: Uint8Array, pad: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (pad[index] ?? 0)));
}
