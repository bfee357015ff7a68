import { createHash } from "node:crypto";
import type { JWTPayload } from "jose";
import type { IssuerKeysOptions } from "./issuer-keys.ts";
import { createIssuerKeys } from "./issuer-keys.ts";

/** What an issuer, such as a build service, says about who carries its token. */
export type IdToken = {
  readonly issuer: string;
  /** Everything it says; checked by nobody yet but for issuer, audience and times. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Tells it from all others of all issuers; lower-case hex. */
  readonly fingerprint: string;
};

export type IdTokenVerdict =
  | { readonly status: "valid"; readonly token: IdToken }
  /** `reason` is a sentence for whoever sent it. */
  | { readonly status: "refused"; readonly reason: string };

/** Verifies a token that is meant for us: all of its audiences have to be. */
export type VerifyIdToken = (
  text: string,
  isAudience: (audience: string) => boolean,
) => Promise<IdTokenVerdict>;

export type IdTokenOptions = IssuerKeysOptions & {
  /** Exactly as they stand in `iss`. */
  readonly issuers: readonly string[];
  readonly now: () => Date;
};

const TEXT_MAX = 16 * 1024;
const ALGORITHMS = ["RS256", "ES256"];
/** Clocks differ; in seconds. */
const TOLERANCE = 30;
/** That a token was used is known this long, so no token may be good for longer; in days. */
export const ID_TOKEN_DAYS_MAX = 30;
const DAY_S = 24 * 60 * 60;

/** Nothing is loaded, and no issuer is asked, before the first token comes. */
export function createIdTokenVerification(options: IdTokenOptions): VerifyIdToken {
  const keysOf = createIssuerKeys(options);
  return async (text, isAudience) => {
    if (text.length > TEXT_MAX) return refused("The ID token is larger than 16 KiB.");
    const { decodeJwt, jwtVerify } = await import("jose");
    const issuer = issuerIn(text, decodeJwt);
    if (issuer === undefined) return refused("The ID token is not a JWT that names its issuer.");
    if (!options.issuers.includes(issuer)) {
      return refused(`The ID token is from ${shown(issuer)}, which nobody here trusts.`);
    }
    try {
      const { payload } = await jwtVerify(text, await keysOf(issuer), {
        issuer,
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE,
        currentDate: options.now(),
        requiredClaims: ["exp", "iat", "aud"],
      });
      const reason = reasonAgainst(payload, isAudience, options.now());
      if (reason !== undefined) return refused(reason);
      const fingerprint = printOf(issuer, payload.jti ?? signedPartOf(text));
      return { status: "valid", token: { issuer, claims: payload, fingerprint } };
    } catch (error) {
      return refused(reasonOf(error, issuer));
    }
  };
}

function issuerIn(text: string, decode: (text: string) => JWTPayload): string | undefined {
  try {
    return decode(text).iss;
  } catch {
    return undefined; // refused as what it is: no JWT
  }
}

function reasonAgainst(
  { aud = [], iat = 0, exp = 0 }: JWTPayload,
  isAudience: (audience: string) => boolean,
  now: Date,
): string | undefined {
  const audiences = [aud].flat();
  if (audiences.length === 0 || !audiences.every(isAudience)) {
    return `The ID token is meant for ${shown(audiences.join(", "))}, not for this registry.`;
  }
  if (iat > now.getTime() / 1000 + TOLERANCE) return "The ID token was issued in the future.";
  if (exp - iat <= ID_TOKEN_DAYS_MAX * DAY_S) return undefined;
  return `The ID token is good for more than ${ID_TOKEN_DAYS_MAX} days, which is too long.`;
}

function reasonOf(error: unknown, issuer: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ERR_JWT_EXPIRED":
      return "The ID token has expired.";
    case "ERR_JWT_CLAIM_VALIDATION_FAILED":
      return `The ID token says what it must not, or not all it must: ${messageOf(error)}.`;
    case "ERR_JWS_SIGNATURE_VERIFICATION_FAILED":
      return "The signature of the ID token is wrong.";
    case "ERR_JWKS_NO_MATCHING_KEY":
    case "ERR_JWKS_MULTIPLE_MATCHING_KEYS":
      return `The ID token is signed with a key that ${issuer} does not announce.`;
    case "ERR_JOSE_ALG_NOT_ALLOWED":
      return `The ID token must be signed with one of ${ALGORITHMS.join(", ")}.`;
    default:
      return `The ID token could not be verified with the keys of ${issuer}: ${messageOf(error)}.`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "it is damaged";
}

function printOf(issuer: string, id: string): string {
  return createHash("sha256")
    .update(JSON.stringify([issuer, id]))
    .digest("hex");
}

/** A signature can be written in more than one way. */
function signedPartOf(text: string): string {
  return text.slice(0, text.lastIndexOf("."));
}

function refused(reason: string): IdTokenVerdict {
  return { status: "refused", reason };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
