import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { TokenMaking } from "./create-token.ts";
import { createToken } from "./create-token.ts";
import { createFailureLimiter, DEFAULT_FAILURE_LIMITS } from "./failure-limiter.ts";
import type { FailureLimiter, FailureLimits } from "./failure-limiter.ts";
import { makeLoginCode, parseLoginCode } from "./login-code.ts";
import type { LoginSession, LoginSessions } from "./login-sessions.ts";
import { networksOfAddress } from "./network.ts";
import type { CountedNetwork } from "./network.ts";
import { endOf } from "./principal.ts";
import type { Scope, SignInFailures, TokenAdministration, TokenLookup } from "./ports.ts";

/** Milliseconds for the operator to decide, and then for the client to fetch the result. */
export const LOGIN_WAITS_MS = 10 * 60_000;
/** Sign-ins of a network, and confirmations of a token, while one of them waits. */
const START_LIMITS: FailureLimits = {
  failuresMax: 20,
  windowMs: LOGIN_WAITS_MS,
  addressesMax: 10_000,
};
const SECRET = /^[\w-]{43}$/;
/** Maximum bytes that creating a token requests: 32 for its secret, 16 for its id. */
const DERIVED_MAX = 32;

export type LoginFlowOptions = Pick<TokenMaking, "pepper" | "random"> & {
  readonly sessions: LoginSessions;
  readonly tokens: Pick<TokenAdministration, "insert" | "revoke"> & Pick<TokenLookup, "findById">;
  /** Starts at all instances; undefined when one process serves the feed. */
  readonly failures?: SignInFailures | undefined;
  readonly now: () => Date;
};

/** A session that a client starts, and what its limit counts. */
export type NewLogin = { readonly address?: string | undefined } &
  /** `scopes`: the administration that the client asks for; undefined: access to npm. */
  (
    | { readonly purpose: "login"; readonly scopes?: readonly Scope[] | undefined }
    /** `tokenId`: the token that must be confirmed. */
    | { readonly purpose: "confirm"; readonly subject: string; readonly tokenId: string }
  );

/** Outcome of starting a session. */
export type StartedLogin =
  | { readonly status: "started"; readonly code: string; readonly secret: string }
  /** The network, or the token, has started too many. */
  | { readonly status: "crowded" };

/** State of a session for the polling client. */
export type LoginOutcome =
  | { readonly status: "waiting" }
  /** `secret`: the token of a sign-in, or the password of a confirmation. */
  | { readonly status: "agreed"; readonly secret: string }
  | { readonly status: "denied" }
  /** The session has expired or never existed. */
  | { readonly status: "ended" };

/** Sessions of command-line clients that wait for an operator's approval. */
export interface LoginFlow {
  /** Sign-ins are limited by network, confirmations by token; no limit counts all networks. */
  start(newLogin: NewLogin): Promise<StartedLogin>;
  /** Returns the state. Clients may poll at any rate. */
  poll(secret: string): Promise<LoginOutcome>;
  /**
   * Whether the operator approved `subject`; `password` is the secret or the code. True only once.
   * Limits the wrong passwords of a token.
   */
  confirm(
    password: string,
    confirmed: { readonly subject: string; readonly tokenId: string },
  ): Promise<boolean>;
}

/**
 * Creates the flow. Sessions contain no secret: only the hash of the client's secret is stored. The
 * token is derived from that secret and the pepper when the client fetches it.
 */
export function createLoginFlow(options: LoginFlowOptions): LoginFlow {
  const starts = createFailureLimiter(START_LIMITS, options.failures);
  const guesses = createFailureLimiter(DEFAULT_FAILURE_LIMITS, options.failures);
  return {
    start: (login) => start(options, starts, login),
    poll: (secret) => poll(options, secret),
    async confirm(password, { subject, tokenId }) {
      const counted = [{ key: `guess ${tokenId}`, share: 1 }];
      if ((await guesses.retryAfterSeconds(counted, options.now())) !== undefined) return false;
      const isRight = await confirm(options, password, subject);
      if (!isRight) await guesses.failed(counted, options.now());
      return isRight;
    },
  };
}

async function start(
  { sessions, random, now }: LoginFlowOptions,
  starts: FailureLimiter,
  login: NewLogin,
): Promise<StartedLogin> {
  const { purpose, address } = login;
  const createdAt = now();
  if ((await starts.take(countedBy(login), createdAt)) !== undefined) return { status: "crowded" };
  const secret = Buffer.from(random(32)).toString("base64url");
  const code = makeLoginCode(random);
  const subject = login.purpose === "confirm" ? login.subject : login.scopes?.join(",");
  await sessions.insert({
    pollHash: hashOf(secret),
    code,
    purpose,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + LOGIN_WAITS_MS),
    ...(subject !== undefined && { subject }),
    ...(address !== undefined && { address }),
  });
  return { status: "started", code, secret };
}

function countedBy(login: NewLogin): readonly CountedNetwork[] {
  if (login.purpose === "confirm") return [{ key: `confirm ${login.tokenId}`, share: 1 }];
  const networks = networksOfAddress(login.address ?? "");
  return networks.map(({ key, share }) => ({ key: `login ${key}`, share }));
}

async function poll(options: LoginFlowOptions, secret: string): Promise<LoginOutcome> {
  const { sessions, now } = options;
  const session = SECRET.test(secret) ? await sessions.findByPollHash(hashOf(secret)) : undefined;
  if (session?.deniedAt) return { status: "denied" };
  if (!session || session.expiresAt <= now()) return { status: "ended" };
  const ends = session.grant?.token?.expiresAt;
  if (ends && ends <= now()) return { status: "ended" };
  if (!session.grant) return { status: "waiting" };
  const result = await secretFor(options, session, secret);
  return result === undefined ? { status: "ended" } : { status: "agreed", secret: result };
}

/**
 * Derives the same token for repeated and concurrent polls, and stores it once. Undefined when the
 * token, or the sign-in, has ended since the approval.
 */
async function secretFor(
  { tokens, sessions, pepper, now }: LoginFlowOptions,
  { grant, pollHash }: LoginSession,
  secret: string,
): Promise<string | undefined> {
  if (!grant?.token) return secret;
  const { owner, userId, serviceAccountId, ...newToken } = grant.token;
  const holder = {
    ...(userId !== undefined && { userId }),
    ...(serviceAccountId !== undefined && { serviceAccountId }),
  };
  const random = (size: number) => derivedBytes(`${pepper}\n${secret}`, size);
  const { token, record } = createToken(newToken, { pepper, now: now(), random });
  const former = await tokens.findById(record.id);
  if (former) return endOf(former, now()) === undefined ? token : undefined;
  try {
    await tokens.insert({ ...record, owner, ...holder }, grant.by);
  } catch (error) {
    if (!(await tokens.findById(record.id))) throw error;
  }
  if (await sessions.findByPollHash(pollHash)) return token;
  // A block or a sign-out everywhere was faster.
  await tokens.revoke(record.id, now(), grant.by);
  return undefined;
}

async function confirm(
  { sessions, now }: LoginFlowOptions,
  password: string,
  subject: string,
): Promise<boolean> {
  const code = parseLoginCode(password);
  const session =
    code === undefined
      ? SECRET.test(password) && (await sessions.findByPollHash(hashOf(password)))
      : await sessions.findByCode(code);
  if (!session || session.purpose !== "confirm") return false;
  const isFor = isSame(session.subject ?? "", subject);
  if (!isFor || !session.grant || session.expiresAt <= now()) return false;
  return sessions.take(session.pollHash);
}

function isSame(secret: string, other: string): boolean {
  const [left, right] = [createHash("sha256"), createHash("sha256")];
  return timingSafeEqual(left.update(secret).digest(), right.update(other).digest());
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Each size gives different bytes, so the id reveals nothing about the secret. */
function derivedBytes(key: string, size: number): Uint8Array {
  if (size > DERIVED_MAX)
    throw new RangeError(`At most ${DERIVED_MAX} bytes can be derived from a secret.`);
  return createHmac("sha256", key).update(`login-token-${size}`).digest().subarray(0, size);
}
