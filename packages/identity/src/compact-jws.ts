import { createHmac, timingSafeEqual } from "node:crypto";

/** 16 KiB is what fits into the headers of a request. */
const TEXT_MAX = 16_384;

/**
 * Signs claims as a JWT (RFC 7515 compact form, HS256). `type` and `keyId` go into its header.
 */
export function signClaims(claims: object, key: SigningKey): string {
  const signed = `${headerOf(key)}.${encode(JSON.stringify(claims))}`;
  return `${signed}.${signatureOf(signed, key)}`;
}

/**
 * The claims of a JWT that this key signed, else undefined. The header must be the very one that
 * `signClaims` writes, so no algorithm is ever taken from the token.
 */
export function verifiedClaims(text: string, key: SigningKey): unknown {
  if (text.length > TEXT_MAX) return undefined;
  const [header, payload, signature, ...rest] = text.split(".");
  if (header !== headerOf(key) || payload === undefined || rest.length > 0) return undefined;
  const expected = Buffer.from(signatureOf(`${header}.${payload}`, key));
  const actual = Buffer.from(signature ?? "");
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return undefined;
  // Signed by us, so it is the JSON that we wrote.
  return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
}

export type SigningKey = {
  /** `typ`: tells one purpose of tokens from another. */
  readonly type: string;
  readonly keyId: string;
  readonly secret: Uint8Array;
};

function headerOf({ type, keyId }: SigningKey): string {
  return encode(JSON.stringify({ alg: "HS256", typ: type, kid: keyId }));
}

function signatureOf(signed: string, { secret }: SigningKey): string {
  return createHmac("sha256", secret).update(signed).digest("base64url");
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
