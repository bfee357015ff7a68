import { randomUUID } from "node:crypto";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import type { CryptoKey, JWK } from "jose";

export type SigningKey = { readonly id: string; readonly key: CryptoKey };

/** Faults of an ID token. */
export type IdTokenForgery = {
  /** Added to the claims; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** `other-key`: signed with a key that is not announced. `none`: not signed. */
  readonly signature?: "broken" | "other-key" | "none";
};

export async function makeSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { id: randomUUID(), key: privateKey };
}

/** The private key in the form that the provider's settings want. */
export async function announcedKey({ id, key }: SigningKey): Promise<JWK> {
  return { ...(await exportJWK(key)), kid: id, alg: "RS256", use: "sig" };
}

/** Adds the claims of the account, and the faults of a forgery. */
export async function forgeIdToken(
  idToken: string,
  {
    key,
    claimsOf,
    forgery = {},
  }: {
    readonly key: SigningKey;
    readonly claimsOf: (login: string) => Readonly<Record<string, unknown>>;
    readonly forgery?: IdTokenForgery;
  },
): Promise<string> {
  const issued = decodeJwt(idToken);
  const all = { ...issued, ...claimsOf(issued.sub ?? ""), ...forgery.claims };
  const claims = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  if (forgery.signature === "none") return new UnsecuredJWT(claims).encode();
  const used = forgery.signature === "other-key" ? await makeSigningKey() : key;
  const signed = await new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", kid: used.id })
    .sign(used.key);
  return forgery.signature === "broken" ? withOtherClaims(signed) : signed;
}

/** Changes a claim and keeps the signature. */
function withOtherClaims(token: string): string {
  const [header, , signature] = token.split(".");
  const claims = { ...decodeJwt(token), email: "eve@acme.example", oid: randomUUID() };
  return [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
}
