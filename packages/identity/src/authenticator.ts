import { BoundedCache } from "@sealhouse/bounded-cache";
import type { Credentials } from "./credentials.ts";
import { findRecord } from "./find-token.ts";
import type { FailureLimiter, FailureLimits } from "./failure-limiter.ts";
import { DEFAULT_FAILURE_LIMITS, createFailureLimiter } from "./failure-limiter.ts";
import { networksOfAddress } from "./network.ts";
import type { CountedNetwork } from "./network.ts";
import type { SignInFailures, TokenLookup, TokenRecord, TokenUse } from "./ports.ts";
import type { Principal, TokenEnd } from "./principal.ts";
import { endOf, principalOf } from "./principal.ts";
import type { HashedToken } from "./token-hash.ts";
import { NEWEST_SCHEME, hashToken } from "./token-hash.ts";
import type { TokenText } from "./token-text.ts";
import { parseTokenText } from "./token-text.ts";
import type { UseRecorder } from "./use-recorder.ts";
import { openUseRecorder } from "./use-recorder.ts";

/** Outcome of authenticating the credentials of a request. */
export type Authentication =
  | { readonly status: "principal"; readonly principal: Principal }
  /** The request carries no credentials. */
  | { readonly status: "none" }
  /** `reason` is a sentence for the user of the client. */
  | { readonly status: "invalid"; readonly reason: string }
  /** Too many failures from the client's address. */
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** Dependencies and settings of `openAuthenticator`. */
export type AuthenticatorOptions = {
  readonly tokens: TokenLookup;
  /** Records last use and upgrades imported hashes; undefined disables both. */
  readonly use?: TokenUse;
  readonly pepper: string;
  readonly now: () => Date;
  readonly limits?: Partial<FailureLimits>;
  /** Failures at all instances; undefined when one process serves the feed. */
  readonly failures?: SignInFailures;
  /** Minimum milliseconds between two writes of last use; default 60,000. */
  readonly flushMs?: number;
  /** Receives errors of writing last use, which is retried. Must not throw. */
  readonly onError?: (error: unknown) => void;
  /** Called with the user of each valid token. Must return at once. */
  readonly onUserSeen?: (userId: string) => void;
};

/** Identifies callers by their API tokens. Disposal writes the recorded uses. */
export interface Authenticator extends AsyncDisposable {
  /**
   * Costs one prepared lookup for a well-formed token, and none for other credentials. With
   * `failures`, secrets that were not valid recently cost one more for each network.
   */
  authenticate(credentials: Credentials, address?: string): Promise<Authentication>;
  /**
   * Applies the same failure limits to a secret that has a separate lookup. Errors of the lookup
   * count as failures.
   */
  attempt(secret: Secret, address?: string): Promise<Authentication>;
}

/** A secret that the caller of `attempt` looks up. */
export type Secret = {
  readonly text: string;
  /** Undefined when the secret is unknown. */
  readonly find: () => Promise<Principal | undefined>;
  /** Whether a valid secret counts as a use of its token; default true. */
  readonly isUse?: boolean;
};

const FLUSH_MS = 60_000;
/** Number of valid tokens that can still sign in while their address is limited. */
const KNOWN_MAX = 1_000;
/** Limits of cached token hashes, and of cached addresses. */
const REMEMBERED = { entries: 512, keyLengthMax: 4_096 };
const UNREADABLE = "Malformed credentials; send an API token as the password.";
const UNKNOWN = "Unknown token. Check it or create a new one.";
const NOT_KNOWN = "Unknown credentials, or their API token is no longer valid.";
const ENDED = {
  revoked: "The token was revoked; create a new one.",
  expired: "The token has expired; create a new one.",
  pending: "The user of the token waits for the approval of an administrator.",
  suspended: "The user of the token is no longer a member of the organization. Sign in again.",
  blocked:
    "The user or service account of the token is blocked. Ask an administrator of the registry.",
} as const satisfies Record<TokenEnd, string>;

/**
 * Creates an authenticator. Every request looks up its token, so a revocation takes effect on all
 * instances at once. Failures are limited per address. A recently valid token still passes, so that
 * one stale client does not block others behind the same address.
 */
export function openAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { use, flushMs = FLUSH_MS, onError = () => undefined } = options;
  const limits = { ...DEFAULT_FAILURE_LIMITS, ...options.limits };
  const limiter = createFailureLimiter(limits, options.failures);
  const recorder = use && openUseRecorder({ use, flushMs, onError });
  const hashedTokens = new BoundedCache<string, TokenText & HashedToken>(REMEMBERED);
  const networks = new BoundedCache<string, readonly CountedNetwork[]>(REMEMBERED);
  const course: Course = {
    options,
    limiter,
    recorder,
    knownHashes: new BoundedCache({ entries: KNOWN_MAX }),
    hashedToken: (secret) =>
      hashedTokens.remember(secret, () => {
        const token = parseTokenText(secret);
        return token && { ...token, hash: hashToken(token.text, options.pepper) };
      }),
    networksOf: (address) => networks.remember(address, () => networksOfAddress(address)),
  };
  return {
    authenticate: (credentials, address) => authenticate(course, credentials, address),
    attempt: ({ text, find, isUse = true }, address) =>
      limited(course, address, {
        isUse,
        countsErrors: true,
        hash: text === "" ? "" : hashToken(text, options.pepper),
        find: async () => (await find()) ?? NOT_KNOWN,
      }),
    async [Symbol.asyncDispose]() {
      await recorder?.[Symbol.asyncDispose]();
    },
  };
}

type Course = {
  readonly options: AuthenticatorOptions;
  readonly limiter: FailureLimiter;
  readonly recorder: UseRecorder | undefined;
  /** Hashes of recently valid tokens. */
  readonly knownHashes: BoundedCache<string, true>;
  readonly hashedToken: (secret: string) => (TokenText & HashedToken) | undefined;
  readonly networksOf: (address: string) => readonly CountedNetwork[] | undefined;
};

async function authenticate(
  course: Course,
  credentials: Credentials,
  address: string | undefined,
): Promise<Authentication> {
  if (credentials.type === "none") return { status: "none" };
  const { options, recorder } = course;
  const token = credentials.type === "secret" ? course.hashedToken(credentials.secret) : undefined;
  const unread = credentials.type === "secret" ? UNKNOWN : UNREADABLE;
  return limited(course, address, {
    isUse: true,
    hash: token?.hash ?? "",
    async find(now) {
      const result = token ? await recordOrReason(token, options, now) : unread;
      if (typeof result === "string") return result;
      if (token && result.scheme !== NEWEST_SCHEME) {
        recorder?.rehash(result.id, token.hash, NEWEST_SCHEME);
      }
      return principalOf(result);
    },
  });
}

type Look = {
  readonly isUse: boolean;
  /** Whether an error of the lookup counts as a failure. */
  readonly countsErrors?: boolean;
  /** Identifies the secret; empty when the text cannot be a token. */
  readonly hash: string;
  /** Resolves to the reason as a sentence when the secret is not valid. */
  readonly find: (now: Date) => Promise<Principal | string>;
};

async function limited(
  { options, limiter, recorder, knownHashes, networksOf }: Course,
  address: string | undefined,
  { hash, find, isUse, countsErrors = false }: Look,
): Promise<Authentication> {
  const now = options.now();
  const from = networksOf(address ?? "") ?? [];
  if (!knownHashes.has(hash)) {
    const waitSeconds = await limiter.retryAfterSeconds(from, now);
    if (waitSeconds !== undefined) return { status: "limited", retryAfterSeconds: waitSeconds };
  }
  const count = () => limiter.failed(from, now);
  const result = await (countsErrors ? foundOrCounted(find, now, count) : find(now));
  if (typeof result === "string") {
    knownHashes.delete(hash);
    await limiter.failed(from, now);
    return { status: "invalid", reason: result };
  }
  knownHashes.remember(hash, () => true);
  if (isUse) recorder?.used(result.tokenId, now, address);
  if (result.user) options.onUserSeen?.(result.user.id);
  return { status: "principal", principal: result };
}

/** An error counts as a failure, too: the sender of an ID token may have caused it. */
async function foundOrCounted(
  find: Look["find"],
  now: Date,
  count: () => Promise<void>,
): Promise<Principal | string> {
  try {
    return await find(now);
  } catch (error) {
    // A database that does not answer cannot count either; the error of the lookup says more.
    await count().catch(() => undefined);
    throw error;
  }
}

async function recordOrReason(
  token: TokenText & HashedToken,
  { tokens, pepper }: AuthenticatorOptions,
  now: Date,
): Promise<TokenRecord | string> {
  const record = await findRecord(tokens, token, pepper);
  if (!record) return UNKNOWN;
  const end = endOf(record, now);
  return end ? ENDED[end] : record;
}
