import { hkdfSync } from "node:crypto";
import { BoundedCache } from "@sealhouse/bounded-cache";
import type { Access, AccessContext } from "./access.ts";
import { grantAccess } from "./access.ts";
import { ANONYMOUS } from "./authorize.ts";
import type { SigningKey } from "./compact-jws.ts";
import { signClaims, verifiedClaims } from "./compact-jws.ts";
import type { TokenLookup } from "./ports.ts";
import type { Principal } from "./principal.ts";
import { endOf, principalOf } from "./principal.ts";

/** Dependencies and settings of `createBearerTokens`. */
export type BearerOptions = {
  readonly tokens: Pick<TokenLookup, "findById">;
  /** Source of the signing keys. Instances with the same pepper therefore have the same keys. */
  readonly pepper: string;
  /** The claim `iss`; the same on all instances and for every public address. */
  readonly issuer: string;
  /** The claim `aud`, and the `service` of the challenge. */
  readonly service: string;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
  /** Lifetime in seconds, 60 to 3,600; docker fails below 60. */
  readonly lifetimeSeconds?: number;
};

/** An issued bearer token. */
export type Issued = {
  readonly token: string;
  readonly expiresInSeconds: number;
  readonly issuedAt: Date;
};

/** Outcome of verifying a bearer token. */
export type VerifiedBearer =
  | {
      readonly status: "valid";
      /** The access list of the token, reduced to what its API token still allows. */
      readonly access: readonly Access[];
      /** Undefined for a token that was issued without credentials. */
      readonly principal: Principal | undefined;
    }
  | { readonly status: "invalid"; readonly reason: string };

/** Issues and verifies bearer tokens. */
export type BearerTokens = {
  /** Issues a token with exactly this access, which `grantAccess` must have reduced. */
  issue(principal: Principal | undefined, access: readonly Access[]): Issued;
  /** Verifies a token with one lookup. It is invalid when its API token is. */
  verify(token: string, context: Omit<AccessContext, "now">): Promise<VerifiedBearer>;
};

const LIFETIME_SECONDS = 600;
const LIFETIMES_SECONDS = { min: 60, max: 3_600 } as const;
/** Tolerates clock differences between instances and clients. */
const LEEWAY_SECONDS = 60;
/** Caches signature checks, because clients send each token many times. */
const REMEMBERED = { entries: 512, keyLengthMax: 4_096 };

/**
 * Issues the short-lived tokens that container clients request at `/token`. They are JWTs with an
 * access list and the id of an API token. They never contain the API token.
 *
 * @throws RangeError when `lifetimeSeconds` is outside 60 to 3600
 */
export function createBearerTokens(options: BearerOptions): BearerTokens {
  const { lifetimeSeconds = LIFETIME_SECONDS, now, tokens } = options;
  if (!(lifetimeSeconds >= LIFETIMES_SECONDS.min && lifetimeSeconds <= LIFETIMES_SECONDS.max)) {
    throw new RangeError(
      `The lifetime of bearer tokens must be 60 to 3600 seconds, not ${lifetimeSeconds}.`,
    );
  }
  const bearerKey = keyOf(options.pepper, "JWT");
  const signedClaims = new BoundedCache<string, SignedClaims>(REMEMBERED);

  return {
    issue(principal, access) {
      const claims = claimsOf(options, principal, lifetimeSeconds);
      const token = signClaims({ ...claims, access }, bearerKey);
      const issuedAt = new Date(claims.iat * 1_000);
      return { token, expiresInSeconds: lifetimeSeconds, issuedAt };
    },
    async verify(token, context) {
      const claims = signedClaims.remember(token, () =>
        parseClaims(verifiedClaims(token, bearerKey)),
      );
      const problem = problemOf(claims, options);
      if (!claims || problem !== undefined) {
        return { status: "invalid", reason: problem ?? FOREIGN };
      }
      const principal = await principalBehind(tokens, claims, now());
      if (claims.tid !== undefined && !principal) return { status: "invalid", reason: ENDED };
      const access = grantAccess(principal, claims.access, { ...context, now: now() });
      return { status: "valid", access, principal };
    },
  };
}

/** Beginning of all bearer tokens: `{"alg":"HS256",`. */
const OWN_HEADER = "eyJhbGciOiJIUzI1NiIs";

/**
 * Whether a secret has the form of a bearer token of this registry instead of an API token. ID
 * tokens of build services have other algorithms.
 */
export function isBearerToken(secret: string): boolean {
  return secret.startsWith(OWN_HEADER) && isJwt(secret);
}

/** Whether a secret has the form of an ID token of a build service. */
export function isIdToken(secret: string): boolean {
  return isJwt(secret) && !secret.startsWith(OWN_HEADER);
}

function isJwt(secret: string): boolean {
  return secret.startsWith("eyJ") && secret.split(".").length === 3;
}

const FOREIGN = "This registry did not issue the bearer token.";
const ENDED = "The API token of this bearer token is no longer valid.";

/** Names as in RFC 7519; times in seconds. `tid` is the id of the API token. */
type Claims = {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti: string;
  readonly tid?: string;
};

type SignedClaims = Claims & { readonly access: readonly Access[] };

function claimsOf(options: BearerOptions, principal: Principal | undefined, seconds: number) {
  const iat = Math.floor(options.now().getTime() / 1_000);
  const claims: Claims = {
    iss: options.issuer,
    aud: options.service,
    sub: principal?.name ?? ANONYMOUS,
    iat,
    nbf: iat,
    exp: iat + seconds,
    jti: Buffer.from(options.random(16)).toString("base64url"),
    ...(principal && { tid: principal.tokenId }),
  };
  return claims;
}

/** Parses the claims of a verified token, whose format only this registry writes. */
function parseClaims(claims: unknown): SignedClaims | undefined {
  if (typeof claims !== "object" || claims === null) return undefined;
  return { access: [], ...(claims as Claims) };
}

function problemOf(
  claims: Claims | undefined,
  { issuer, service, now }: BearerOptions,
): string | undefined {
  if (!claims || claims.iss !== issuer || claims.aud !== service) return FOREIGN;
  const seconds = now().getTime() / 1_000;
  if (seconds > claims.exp + LEEWAY_SECONDS) return "The bearer token has expired.";
  if (seconds < claims.nbf - LEEWAY_SECONDS) return "The bearer token is not valid yet.";
  return undefined;
}

async function principalBehind(
  tokens: BearerOptions["tokens"],
  { tid }: Claims,
  now: Date,
): Promise<Principal | undefined> {
  const record = tid === undefined ? undefined : await tokens.findById(tid);
  return record && endOf(record, now) === undefined ? principalOf(record) : undefined;
}

function keyOf(pepper: string, type: string): SigningKey {
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync("sha256", pepper, "", `sealhouse/bearer/v1/${type}/${purpose}`, length));
  return { type, keyId: derive("id", 6).toString("base64url"), secret: derive("sign", 32) };
}
