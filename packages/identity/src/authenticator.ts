import type { Credentials } from "./credentials.ts";
import { findRecord } from "./find-token.ts";
import type { FailureLimiter, FailureLimits } from "./failure-limiter.ts";
import { DEFAULT_FAILURE_LIMITS, createFailureLimiter } from "./failure-limiter.ts";
import { callerOfAddress } from "./network.ts";
import type { TokenLookup, TokenRecord, TokenUse } from "./ports.ts";
import type { Principal } from "./principal.ts";
import { endOf, principalOf } from "./principal.ts";
import { createRemembered } from "./remembered.ts";
import type { HashedToken } from "./token-hash.ts";
import { NEWEST_SCHEME, hashToken } from "./token-hash.ts";
import type { TokenText } from "./token-text.ts";
import { parseTokenText } from "./token-text.ts";
import type { UseRecorder } from "./use-recorder.ts";
import { openUseRecorder } from "./use-recorder.ts";

export type Authentication =
  | { readonly status: "principal"; readonly principal: Principal }
  /** The request carries no credentials. */
  | { readonly status: "none" }
  /** `reason` is a sentence for the person whose client sent it. */
  | { readonly status: "invalid"; readonly reason: string }
  /** Too many failures from that address. */
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

export type AuthenticatorOptions = {
  readonly tokens: TokenLookup;
  /** Without it, last use is not recorded and imported hashes stay as they are. */
  readonly use?: TokenUse;
  readonly pepper: string;
  readonly now: () => Date;
  readonly limits?: Partial<FailureLimits>;
  /** The shortest time between two writes of last uses. */
  readonly flushMs?: number;
  /** Told when last uses could not be written; they are tried again. Must not throw. */
  readonly onError?: (error: unknown) => void;
};

export interface Authenticator extends AsyncDisposable {
  /** Costs one prepared look-up for a well-formed token and none for anything else. */
  authenticate(credentials: Credentials, address?: string): Promise<Authentication>;
  /** The same limits for a secret that somebody else looks up. */
  attempt(secret: Secret, address?: string): Promise<Authentication>;
}

export type Secret = {
  readonly text: string;
  /** Undefined: it opens nothing. */
  readonly find: () => Promise<Principal | undefined>;
};

const FLUSH_MS = 60_000;
/** So many working tokens are told from guesses while their address is limited. */
const KNOWN_MAX = 1_000;
/** So many texts are not hashed again, and so many addresses not parsed again. */
const REMEMBERED_MAX = 512;
const UNREADABLE = "The credentials could not be read; send the token as the password.";
const UNKNOWN = "This token is not known here, or it is mistyped.";
const NOT_KNOWN = "This is not known here, or its token has ended.";
const ENDED = {
  revoked: "This token has been revoked; make a new one.",
  expired: "This token has expired; make a new one.",
} as const;

/**
 * Finds out whose token a request carries. Nothing is remembered that would let a token in: each
 * request looks the token up, so a revocation counts from the next request on every instance.
 * Failures are limited per address; a token that worked shortly before still gets through then,
 * so that one stale client does not shut out its neighbours behind the same address.
 */
export function openAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { use, flushMs = FLUSH_MS, onError = () => undefined } = options;
  const limiter = createFailureLimiter({ ...DEFAULT_FAILURE_LIMITS, ...options.limits });
  const recorder = use && openUseRecorder({ use, flushMs, onError });
  const hashedToken = createRemembered((secret) => {
    const token = parseTokenText(secret);
    return token && { ...token, hash: hashToken(token.text, options.pepper) };
  }, REMEMBERED_MAX);
  const callerOf = createRemembered(callerOfAddress, REMEMBERED_MAX);
  const course: Course = { options, limiter, recorder, known: new Set(), hashedToken, callerOf };
  return {
    authenticate: (credentials, address) => authenticate(course, credentials, address),
    attempt: ({ text, find }, address) =>
      limited(course, address, {
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
  /** Hashes of tokens that worked, the latest last. */
  readonly known: Set<string>;
  readonly hashedToken: (secret: string) => (TokenText & HashedToken) | undefined;
  readonly callerOf: (address: string) => string | undefined;
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
    hash: token?.hash ?? "",
    async find(now) {
      const found = token ? await recordOrReason(token, options, now) : unread;
      if (typeof found === "string") return found;
      if (token && found.scheme !== NEWEST_SCHEME) {
        recorder?.rehash(found.id, token.hash, NEWEST_SCHEME);
      }
      return principalOf(found);
    },
  });
}

type Look = {
  /** Tells the secret from others; empty for what is none. */
  readonly hash: string;
  /** Resolves to a sentence when the secret opens nothing. */
  readonly find: (now: Date) => Promise<Principal | string>;
};

async function limited(
  { options, limiter, recorder, known, callerOf }: Course,
  address: string | undefined,
  { hash, find }: Look,
): Promise<Authentication> {
  const now = options.now();
  const from = callerOf(address ?? "") ?? "";
  const waitSeconds = limiter.retryAfterSeconds(from, now);
  if (waitSeconds !== undefined && !known.has(hash)) {
    return { status: "limited", retryAfterSeconds: waitSeconds };
  }
  const found = await find(now);
  if (typeof found === "string") {
    limiter.failed(from, now);
    known.delete(hash);
    return { status: "invalid", reason: found };
  }
  remember(known, hash);
  recorder?.used(found.tokenId, now, address);
  return { status: "principal", principal: found };
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

function remember(known: Set<string>, hash: string): void {
  known.delete(hash);
  known.add(hash);
  if (known.size <= KNOWN_MAX) return;
  const [oldest] = known;
  if (oldest !== undefined) known.delete(oldest);
}
