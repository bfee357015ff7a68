import { createHash } from "node:crypto";
import type { Protocol, ShownCaller } from "@sealhouse/request-types";
import type { TokenMaking } from "../create-token.ts";
import { createToken } from "../create-token.ts";
import { createFailureLimiter, DEFAULT_FAILURE_LIMITS } from "../failure-limiter.ts";
import type { IdToken, VerifyIdToken } from "../id-tokens/verify-id-token.ts";
import { namedIssuer } from "../id-tokens/verify-id-token.ts";
import { coversName } from "../name-pattern.ts";
import { networksOfAddress } from "../network.ts";
import type { CountedNetwork } from "../network.ts";
import type { TokenRecord } from "../ports.ts";
import { normalizeAudience } from "./audiences.ts";
import { judgeToken } from "./judge-token.ts";
import { policyActor, policySubject } from "./policy-actor.ts";
import { policyEnd } from "./policy.ts";
import type { PublishPolicy } from "./policy.ts";
import type { Policies, PolicyUseOutcome } from "./ports.ts";

/** Dependencies and settings of `createPolicyExchange`. */
export type ExchangeOptions = Pick<TokenMaking, "pepper" | "random"> & {
  readonly policies: Pick<Policies, "matching" | "use">;
  readonly verify: VerifyIdToken;
  /** The issuers that `verify` trusts. */
  readonly issuers: readonly string[];
  /** Accepted audiences of each protocol, as `normalizeAudience` returns them. */
  readonly audiences: Readonly<Record<Protocol, ReadonlySet<string>>>;
  /** Reason to refuse ID tokens while a protocol has no audience. */
  readonly noAudienceReason: string;
  readonly now: () => Date;
};

/** Address and id of a request, for events. */
export type PublishingOrigin = Pick<ShownCaller, "address" | "requestId">;

/** An ID token, and the right that is requested for it. */
export type ExchangeRequest = {
  readonly text: string;
  readonly protocol: Protocol;
  /** The name to publish; undefined for all names of the policy. */
  readonly name?: string;
  /** Only policies of this user or team. */
  readonly username?: string;
  readonly from: PublishingOrigin;
};

/** Outcome of an exchange. Reasons are sentences for the sender. */
export type ExchangeOutcome =
  | {
      readonly status: "issued";
      readonly tokenId: string;
      readonly token: string;
      readonly createdAt: Date;
      readonly expiresAt: Date;
    }
  /** The ID token is not valid. `isUnjudged`: it may be, but cannot be verified now. */
  | { readonly status: "refused"; readonly reason: string; readonly isUnjudged?: true }
  /** No policy fits. `reason` is present only for jobs that a policy knows. */
  | {
      readonly status: "distrusted";
      readonly claims: IdToken["claims"];
      readonly reason?: string;
    }
  | { readonly status: "revoked" }
  /** Too many invalid ID tokens of the issuer from the network. */
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** Exchanges ID tokens of build services for tokens of this registry. */
export type PolicyExchange = {
  /** Limits invalid ID tokens per network and issuer, at each instance. */
  exchange(request: ExchangeRequest): Promise<ExchangeOutcome>;
  /**
   * Returns the id of the token for images; the same one for the same ID token. Does not limit
   * invalid ID tokens: see `Authenticator.attempt`.
   */
  identify(request: Omit<ExchangeRequest, "name">): Promise<string | undefined>;
};

/** Creates the exchange of all protocols. */
export function createPolicyExchange(options: ExchangeOptions): PolicyExchange {
  const failures = createFailureLimiter(DEFAULT_FAILURE_LIMITS);
  return {
    async exchange(request) {
      const [bucket, now] = [await bucketOf(options, request), options.now()];
      const retryAfterSeconds = bucket && (await failures.retryAfterSeconds(bucket, now));
      if (retryAfterSeconds) return { status: "limited", retryAfterSeconds };
      let isInvalid = true;
      try {
        const outcome = await exchange(options, { ...request, keepsValid: false });
        isInvalid = outcome.status === "refused" && outcome.isUnjudged !== true;
        return outcome;
      } finally {
        // An error counts, too: its sender may have caused it.
        if (bucket && isInvalid) await failures.failed(bucket, now);
      }
    },
    async identify(request) {
      const outcome = await exchange(options, { ...request, keepsValid: true });
      return outcome.status === "issued" ? outcome.tokenId : undefined;
    },
  };
}

/** Invalid ID tokens of one issuer do not limit those of another. Undefined without an address. */
async function bucketOf(
  options: Pick<ExchangeOptions, "issuers">,
  { text, from: { address } }: ExchangeRequest,
): Promise<readonly CountedNetwork[] | undefined> {
  if (address === undefined) return undefined;
  const known = (await knownIssuer(options, text)) ?? "unknown";
  return networksOfAddress(address).map(({ key, share }) => ({ key: `${key} ${known}`, share }));
}

/** Only exact texts of the configuration reach the database. */
async function knownIssuer(
  { issuers }: Pick<ExchangeOptions, "issuers">,
  text: string,
): Promise<string | undefined> {
  const issuer = await namedIssuer(text);
  return issuer !== undefined && issuers.includes(issuer) ? issuer : undefined;
}

type Course = ExchangeRequest & { readonly keepsValid: boolean };

async function exchange(options: ExchangeOptions, course: Course): Promise<ExchangeOutcome> {
  const { text, protocol } = course;
  const issuer = await knownIssuer(options, text);
  const candidates = issuer === undefined ? [] : await options.policies.matching(issuer, protocol);
  const own = options.audiences[protocol];
  const fixed = new Set(candidates.flatMap(({ fixedAudience }) => fixedAudience ?? []));
  if (own.size === 0 && fixed.size === 0) {
    return { status: "refused", reason: options.noAudienceReason, isUnjudged: true };
  }
  const isOwn = (audience: string) => own.has(normalizeAudience(audience));
  const verdict = await options.verify(text, (one) => isOwn(one) || fixed.has(one));
  if (verdict.status === "refused") return verdict;
  const { token: idToken } = verdict;
  const allowed = candidates.filter((policy) => allowsAudience(policy, idToken, isOwn));
  return issueFor(options, allowed, { ...course, idToken });
}

/** A fixed audience counts only for the policies that name it. */
function allowsAudience(
  { fixedAudience }: PublishPolicy,
  { claims }: IdToken,
  isOwn: (audience: string) => boolean,
): boolean {
  const audiences = [claims["aud"]].flat();
  return audiences.every((one) => typeof one === "string" && (one === fixedAudience || isOwn(one)));
}

type Verified = Course & { readonly idToken: IdToken };

async function issueFor(
  options: ExchangeOptions,
  candidates: readonly PublishPolicy[],
  course: Verified,
): Promise<ExchangeOutcome> {
  const { claims } = course.idToken;
  let reason: string | undefined;
  for (const policy of candidates) {
    if (!mayAsk(policy, course)) continue;
    const judgement = judgeToken(policy, course.idToken);
    if (!judgement.fits) {
      reason ??= judgement.reason;
      continue;
    }
    const end = policyEnd(policy, options.now());
    if (end !== undefined) {
      reason ??= ENDED[end];
      continue;
    }
    const outcome = await issue(options, policy, course);
    if (outcome.status !== "distrusted") return outcome;
    reason ??= outcome.reason;
  }
  return { status: "distrusted", claims, ...(reason !== undefined && { reason }) };
}

const ENDED = {
  void: "Another user created the name that the policy was made for.",
  maker:
    "The user that made the policy is no longer active or only reads now. Another one must make " +
    "it again.",
  unused: "The policy was not used in time. Make it again.",
} as const;

function mayAsk(policy: PublishPolicy, { protocol, name, username }: Course): boolean {
  const { owner, patterns } = policy;
  if (username !== undefined && owner !== undefined && owner !== username.toLowerCase()) {
    return false;
  }
  return name === undefined || patterns.some((pattern) => coversName(pattern, protocol, name));
}

async function issue(
  { policies, pepper, random, now }: ExchangeOptions,
  policy: PublishPolicy,
  { protocol, name: subject = "", keepsValid, idToken, from }: Verified,
): Promise<ExchangeOutcome> {
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + policy.lifeSeconds * 1_000);
  const newToken = {
    name: `publish ${subject === "" ? policySubject(policy) || "by policy" : subject}`.slice(
      0,
      100,
    ),
    scopes: policy.scopes,
    protocols: [protocol],
    patterns: subject === "" ? policy.patterns : [subject],
    expiresAt,
  } as const;
  const { token, record } = createToken(newToken, { pepper, now: createdAt, random });
  const tokenId = tokenIdOf(protocol, subject, idToken.fingerprint);
  const owner = policyActor(policy);
  const stored: TokenRecord = { ...record, id: tokenId, owner, policyId: policy.id };
  const outcome = await policies.use(
    { policyId: policy.id, idToken, surface: protocol, subject, keepsValid },
    stored,
    { actor: owner, ...from },
  );
  switch (outcome) {
    case "issued":
    case "replaced":
    case "same":
      return { status: "issued", tokenId, token, createdAt, expiresAt };
    case "revoked":
      return { status: "revoked" };
    case "elsewhere":
    case "distrusted":
    case "taken":
    case "absent-name":
      return { status: "distrusted", claims: idToken.claims, ...reasonOf(outcome) };
  }
}

function reasonOf(outcome: PolicyUseOutcome): { readonly reason?: string } {
  switch (outcome) {
    case "elsewhere":
      return { reason: "The ID token was used for another protocol. Request another ID token." };
    case "taken":
      return { reason: ENDED.void };
    case "absent-name":
      return { reason: "The name does not exist, and the policy may not create it." };
    default:
      return {};
  }
}

/**
 * Returns one id per ID token, protocol and name, so that at most one token exists for them. UUID
 * version 8, RFC 9562.
 */
export function tokenIdOf(protocol: Protocol, subject: string, fingerprint: string): string {
  const bytes = createHash("sha256")
    .update(JSON.stringify([protocol, subject, fingerprint]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  const starts = [0, 8, 12, 16, 20];
  return starts.map((start, index) => hex.slice(start, starts[index + 1])).join("-");
}
