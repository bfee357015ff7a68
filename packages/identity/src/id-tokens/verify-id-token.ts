import { createHash } from "node:crypto";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import type { IssuerKeys, IssuerKeysOptions } from "./issuer-keys.ts";
import { createIssuerKeys } from "./issuer-keys.ts";

/** A verified ID token of an issuer, such as a build service. */
export type IdToken = {
  readonly issuer: string;
  /** All claims. Only issuer, audience and times are verified. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Unique per ID token over all issuers; lower-case hex. */
  readonly fingerprint: string;
  /** When it can no longer be used, including the clock tolerance. */
  readonly endsAt: Date;
};

/** Outcome of verifying an ID token. */
export type IdTokenVerdict =
  | { readonly status: "valid"; readonly token: IdToken }
  /** `reason` is a sentence for the sender. `isUnjudged`: the token itself may be valid. */
  | { readonly status: "refused"; readonly reason: string; readonly isUnjudged?: true };

/** Verifies an ID token. `isAudience` must accept each of its audiences. */
export type VerifyIdToken = (
  text: string,
  isAudience: (audience: string) => boolean,
) => Promise<IdTokenVerdict>;

/**
 * Returns the issuer that a text names, without verification. Undefined when it is not a JWT, or
 * its issuer is not a text.
 */
export async function namedIssuer(text: string): Promise<string | undefined> {
  if (text.length > TEXT_MAX) return undefined;
  const { decodeJwt } = await import("jose");
  return issuerIn(text, decodeJwt);
}

export type IdTokenOptions = IssuerKeysOptions & {
  /** Exact values of `iss`. */
  readonly issuers: readonly string[];
  readonly now: () => Date;
  /** Reports an issuer whose keys cannot be read, at most once in ten minutes. */
  readonly onUnreadableKeys?: (issuer: string, reason: string) => void;
};

const TEXT_MAX = 16 * 1024;
const ALGORITHMS = ["RS256", "ES256"];
/** Clock tolerance in seconds. */
const TOLERANCE = 30;
/** Maximum validity of an ID token in days; uses of tokens are stored this long. */
export const ID_TOKEN_DAYS_MAX = 2;
const DAY_S = 24 * 60 * 60;
/** Milliseconds between reports about the keys of one issuer. */
const REPORT_EVERY_MS = 10 * 60_000;

/** Creates the verification. It loads its library and contacts issuers with the first token. */
export function createIdTokenVerification(options: IdTokenOptions): VerifyIdToken {
  const keysOf = createIssuerKeys(options);
  const report = createKeyReports(options);
  return async (text, isAudience) => {
    if (text.length > TEXT_MAX) return refused("The ID token is larger than 16 KiB.");
    const { decodeJwt, jwtVerify } = await import("jose");
    const issuer = issuerIn(text, decodeJwt);
    if (issuer === undefined) return refused("The ID token is not a JWT with an issuer.");
    if (!options.issuers.includes(issuer)) {
      return refused(`This registry does not trust the issuer of the ID token, ${shown(issuer)}.`);
    }
    try {
      const { payload } = await jwtVerify(text, await keysOrReason(keysOf, issuer), {
        issuer,
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE,
        currentDate: options.now(),
        requiredClaims: ["exp", "iat", "aud"],
      });
      const reason =
        reasonAgainstTypes(payload) ?? reasonAgainst(payload, isAudience, options.now());
      if (reason !== undefined) return refused(reason);
      const fingerprint = printOf(issuer, idIn(payload) ?? signedPartOf(text));
      const endsAt = new Date(((payload.exp ?? 0) + TOLERANCE + 1) * 1_000);
      return { status: "valid", token: { issuer, claims: payload, fingerprint, endsAt } };
    } catch (error) {
      if (error instanceof IssuerKeysError) report(issuer, error.message);
      return refusedAfter(error, issuer);
    }
  };
}

function issuerIn(text: string, decode: (text: string) => JWTPayload): string | undefined {
  try {
    // The library does not check the types of claims.
    const issuer: unknown = decode(text).iss;
    return typeof issuer === "string" ? issuer : undefined;
  } catch {
    return undefined; // refused as what it is: no JWT
  }
}

/** Claims of RFC 7519 that are texts when they are present, and Entra's claim for the id. */
const TEXT_CLAIMS = ["iss", "sub", "jti", "uti"] as const;
/** Claims that are numbers; the library checks them, too. */
const TIME_CLAIMS = ["exp", "iat", "nbf"] as const;

/** Everything after this may rely on the types of these claims. */
function reasonAgainstTypes(claims: Readonly<Record<string, unknown>>): string | undefined {
  const isWrong = (name: string, type: "string" | "number") =>
    claims[name] !== undefined && typeof claims[name] !== type;
  const text = TEXT_CLAIMS.find((name) => isWrong(name, "string"));
  if (text !== undefined) return `The claim ${text} of the ID token is not a text.`;
  const time = TIME_CLAIMS.find((name) => isWrong(name, "number"));
  if (time !== undefined) return `The claim ${time} of the ID token is not a number.`;
  const audiences = [claims["aud"]].flat();
  if (audiences.every((audience) => typeof audience === "string")) return undefined;
  return "The audience of the ID token is not a text or a list of texts.";
}

function reasonAgainst(
  { aud = [], iat = 0, exp = 0 }: JWTPayload,
  isAudience: (audience: string) => boolean,
  now: Date,
): string | undefined {
  const audiences = [aud].flat();
  if (audiences.length === 0 || !audiences.every(isAudience)) {
    return `The audience of the ID token is ${shown(audiences.join(", "))}, not this registry.`;
  }
  if (iat > now.getTime() / 1000 + TOLERANCE)
    return "The issue time of the ID token is in the future.";
  if (exp - iat <= ID_TOKEN_DAYS_MAX * DAY_S) return undefined;
  return `The ID token is valid for more than ${ID_TOKEN_DAYS_MAX} days, which is too long.`;
}

function createKeyReports({ now, onUnreadableKeys }: IdTokenOptions) {
  const reportedAt = new Map<string, number>();
  return (issuer: string, reason: string): void => {
    const time = now().getTime();
    if (time - (reportedAt.get(issuer) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return;
    reportedAt.set(issuer, time);
    onUnreadableKeys?.(issuer, reason);
  };
}

/** The keys of an issuer cannot be read, so the ID token may be valid. */
class IssuerKeysError extends Error {
  override readonly name = "IssuerKeysError";
}

/** Returns the key lookup. Its failures are an IssuerKeysError unless the token causes them. */
async function keysOrReason(keysOf: IssuerKeys, issuer: string): Promise<JWTVerifyGetKey> {
  const marked = (error: unknown) =>
    faultIn(error, issuer) === undefined
      ? new IssuerKeysError(messageOf(error), { cause: error })
      : error;
  try {
    const keys = await keysOf(issuer);
    return async (header, token) => {
      try {
        return await keys(header, token);
      } catch (error) {
        throw marked(error);
      }
    };
  } catch (error) {
    throw marked(error);
  }
}

function refusedAfter(error: unknown, issuer: string): IdTokenVerdict {
  if (error instanceof IssuerKeysError) {
    const reason = `Cannot verify the ID token with the keys of ${issuer}: ${error.message}.`;
    return { status: "refused", reason, isUnjudged: true };
  }
  return refused(faultIn(error, issuer) ?? "The ID token is damaged.");
}

/** Returns the fault of the token; undefined when the keys are the reason. */
function faultIn(error: unknown, issuer: string): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ERR_JWT_EXPIRED":
      return "The ID token has expired.";
    case "ERR_JWT_CLAIM_VALIDATION_FAILED":
      return `The claims of the ID token are invalid: ${messageOf(error)}.`;
    case "ERR_JWS_SIGNATURE_VERIFICATION_FAILED":
      return "The signature of the ID token is invalid.";
    case "ERR_JWKS_NO_MATCHING_KEY":
    case "ERR_JWKS_MULTIPLE_MATCHING_KEYS":
      return `The signing key of the ID token is not among the published keys of ${issuer}.`;
    case "ERR_JOSE_ALG_NOT_ALLOWED":
      return `The signature algorithm of the ID token must be one of ${ALGORITHMS.join(", ")}.`;
    case "ERR_JWS_INVALID":
    case "ERR_JWT_INVALID":
    case "ERR_JOSE_NOT_SUPPORTED":
      return `The ID token is damaged: ${messageOf(error)}.`;
    default:
      return undefined;
  }
}

/** Entra has its own claim for the id. */
function idIn({ jti, uti }: JWTPayload): string | undefined {
  return jti ?? (typeof uti === "string" ? uti : undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function printOf(issuer: string, id: string): string {
  return createHash("sha256")
    .update(JSON.stringify([issuer, id]))
    .digest("hex");
}

/** Returns the part without the signature, because signatures have several encodings. */
function signedPartOf(text: string): string {
  return text.slice(0, text.lastIndexOf("."));
}

function refused(reason: string): IdTokenVerdict {
  return { status: "refused", reason };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
