import { createHmac, timingSafeEqual } from "node:crypto";

/** 16 KiB, the limit of request headers. */
const TEXT_MAX = 16_384;

/**
 * Signs claims as a JWT (RFC 7515 compact form, HS256). `type` and `keyId` go into its header.
 */
export function signClaims(claims: object, key: SigningKey): string {
  const signed = `${headerOf(key)}.${encode(JSON.stringify(claims))}`;
  return `${signed}.${signatureOf(signed, key)}`;
}

/**
 * Returns the claims of a JWT with a valid signature by this key; otherwise undefined. The header
 * must equal that of `signClaims`, so the token cannot select the algorithm.
 */
export function verifiedClaims(text: string, key: SigningKey): unknown {
  if (text.length > TEXT_MAX) return undefined;
  const [header, payload, signature, ...rest] = text.split(".");
  if (header !== headerOf(key) || payload === undefined || rest.length > 0) return undefined;
  const expected = Buffer.from(signatureOf(`${header}.${payload}`, key));
  const actual = Buffer.from(signature ?? "");
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return undefined;
  // The signature proves that this registry wrote the JSON.
  return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
}

export type SigningKey = {
  /** `typ`: separates the purposes of tokens. */
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
