import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { readBounded } from "./read-bounded.ts";

export type IssuerKeysOptions = {
  readonly fetch: typeof fetch;
  /** Reads the JSON Web Key Set of an issuer that cannot be reached; undefined for others. */
  readonly readKeys?: (issuer: string) => Promise<string | undefined>;
  /** Minimum milliseconds between requests for an issuer's keys because of unknown key ids. */
  readonly cooldownMs?: number;
};

/** Returns the key lookup of an issuer, based on its discovery document. */
export type IssuerKeys = (issuer: string) => Promise<JWTVerifyGetKey>;

const TIMEOUT_MS = 5_000;
const COOLDOWN_MS = 30_000;
/** Milliseconds to cache the discovery document and keys of an issuer. */
const KEPT_MS = 10 * 60_000;
/** Milliseconds before the next request to an issuer that does not answer. */
const FAILED_MS = 10_000;

/**
 * Caches the keys of issuers, which it finds through OpenID Connect discovery. An unknown key id
 * triggers another request, so issuers can rotate keys at any time.
 */
export function createIssuerKeys(options: IssuerKeysOptions): IssuerKeys {
  const opened = new Map<string, { readonly keys: Promise<JWTVerifyGetKey>; until: number }>();
  return (issuer) => {
    const knownEntry = opened.get(issuer);
    if (knownEntry && knownEntry.until > Date.now()) return knownEntry.keys;
    const keys = openKeys(issuer, options);
    const entry = { keys, until: Date.now() + KEPT_MS };
    opened.set(issuer, entry);
    keys.catch(() => {
      entry.until = Date.now() + FAILED_MS;
    });
    return keys;
  };
}

async function openKeys(
  issuer: string,
  { fetch, readKeys, cooldownMs = COOLDOWN_MS }: IssuerKeysOptions,
): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet, createRemoteJWKSet, customFetch } = await import("jose");
  const text = await readKeys?.(issuer);
  if (text !== undefined) return createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
  const uri = await keysAddress(issuer, fetch);
  return createRemoteJWKSet(uri, {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: cooldownMs,
    cacheMaxAge: KEPT_MS,
    [customFetch]: (url: string, init: RequestInit) => readBounded(fetch, url, init),
  });
}

async function keysAddress(issuer: string, fetch: typeof globalThis.fetch): Promise<URL> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await readBounded(fetch, address, { signal, redirect: "manual" });
  if (answer.status !== 200) throw new Error(`${address} returned status ${answer.status}`);
  const document: unknown = await answer.json();
  const fields = typeof document === "object" && document !== null ? document : {};
  const jwksUri = "jwks_uri" in fields ? fields.jwks_uri : undefined;
  if (!("issuer" in fields) || fields.issuer !== issuer || typeof jwksUri !== "string") {
    throw new Error(`${address} does not describe this issuer`);
  }
  const uri = new URL(jwksUri);
  // An issuer with https must not redirect to http.
  if (uri.protocol !== "https:" && uri.protocol !== new URL(issuer).protocol) {
    throw new Error(`${address} has a key URL without https`);
  }
  return uri;
}
