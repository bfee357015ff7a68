import type { Caller } from "@sealhouse/request-types";
import type { TokenLookup, TokenRecord } from "../ports.ts";
import type { Principal, Requester, SessionPrincipal } from "../principal.ts";
import { endOf, principalOf } from "../principal.ts";
import { hashOf, isSecret, makeSecret } from "./secret.ts";
import type {
  SessionRecord,
  Sessions,
  SessionUser,
  SignInMethod,
  StoredSession,
} from "./session.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Milliseconds after the last use until a session ends. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** Milliseconds after the sign-in until a session ends. */
export const SESSION_LIFE_MS = 7 * 24 * HOUR_MS;
/** Milliseconds until the browser gets a new secret. */
export const ROTATION_MS = 24 * HOUR_MS;
/** Milliseconds for which the former secret is accepted, because pages request in parallel. */
export const GRACE_MS = MINUTE_MS;
const SEEN_MS = MINUTE_MS;
const AGENT_MAX = 300;

/** The session of a request. */
export type BrowserSession = {
  readonly principal: Requester;
  /** Hash of the row now. */
  readonly hash: string;
  /** The secret of the browser: key of its form tokens. */
  readonly secret: string;
  /** Whether the browser must get the secret, because it has changed. */
  readonly isRenewed: boolean;
  readonly user?: SessionUser;
  readonly createdAt: Date;
  readonly endsAt: Date;
};

/** Who signs in, from where. */
export type SignedIn = {
  readonly holder:
    | { readonly user: SessionUser }
    /** A valid token. */
    | { readonly token: Pick<Principal, "tokenId" | "name" | "expiresAt"> };
  readonly method: SignInMethod;
  readonly address?: string | undefined;
  readonly agent?: string | undefined;
  readonly requestId?: string | undefined;
  /** Secret of the session that the new one replaces. */
  readonly formerSecret?: string | undefined;
};

/** Sessions of browsers by the secret in their cookie. */
export interface BrowserSessions {
  /** Opens a session with a new secret, and ends the former one. Returns the secret. */
  open(signedIn: SignedIn): Promise<string>;
  /**
   * Finds the valid session of a secret. `mayRotate`: whether the answer can give the browser a new
   * secret.
   */
  find(
    secret: string,
    options: { readonly mayRotate: boolean },
  ): Promise<BrowserSession | undefined>;
  end(session: BrowserSession, by: Caller): Promise<void>;
  /** Ends all sessions of the session's user; one of a token ends alone. */
  endAll(session: BrowserSession, by: Caller): Promise<void>;
  /** All valid sessions of the session's user, or the session itself. */
  list(session: BrowserSession): Promise<readonly SessionRecord[]>;
}

/** Dependencies of `createBrowserSessions`. `random` returns cryptographically random bytes. */
export type BrowserSessionOptions = {
  readonly rows: Sessions;
  readonly tokens: Pick<TokenLookup, "findById">;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
};

/** Opens the sessions of browsers. */
export function createBrowserSessions(options: BrowserSessionOptions): BrowserSessions {
  const { rows, now } = options;
  return {
    open: (signedIn) => open(options, signedIn),
    find: (secret, { mayRotate }) => find(options, secret, mayRotate),
    async end({ hash }, by) {
      await rows.end(hash, by);
    },
    async endAll({ hash, user }, by) {
      await (user ? rows.endAll(user.id, by) : rows.end(hash, by));
    },
    async list({ user, hash }) {
      if (!user) {
        const own = await rows.find(hash);
        return own ? [own] : [];
      }
      return openSessionsOf(await rows.ofUser(user.id), user, now());
    },
  };
}

async function open(
  { rows, now, random }: BrowserSessionOptions,
  signedIn: SignedIn,
): Promise<string> {
  const { holder, method, address, agent, requestId, formerSecret } = signedIn;
  const secret = makeSecret(random);
  const time = now();
  const isUser = "user" in holder;
  const expiresAt = isUser ? undefined : holder.token.expiresAt;
  const endsAt = earlier(later(time, SESSION_LIFE_MS), expiresAt);
  const by: Caller = {
    actor: isUser ? holder.user.handle : holder.token.name,
    ...(!isUser && { tokenId: holder.token.tokenId, needs: undefined }),
    ...(address !== undefined && { address }),
    ...(requestId !== undefined && { requestId }),
  };
  const former = formerSecret !== undefined && (await rows.find(hashOf(formerSecret)));
  if (former) await rows.end(former.hash, by);
  const session: SessionRecord = {
    hash: hashOf(secret),
    ...(isUser ? { userId: holder.user.id } : { tokenId: holder.token.tokenId }),
    epoch: isUser ? holder.user.epoch : 0,
    createdAt: time,
    rotatedAt: time,
    seenAt: time,
    idleEndsAt: earlier(later(time, SESSION_IDLE_MS), endsAt),
    endsAt,
    ...(address !== undefined && { address }),
    ...(agent !== undefined && { agent: agent.slice(0, AGENT_MAX) }),
  };
  await rows.open(session, { by, method });
  return secret;
}

async function find(
  options: BrowserSessionOptions,
  secret: string,
  mayRotate: boolean,
): Promise<BrowserSession | undefined> {
  const { rows, now } = options;
  if (!isSecret(secret)) return undefined;
  const hash = hashOf(secret);
  const stored = await rows.find(hash);
  const time = now();
  if (!stored || isOver(stored, time) || !accepts(stored, hash, time)) return undefined;
  const requester = await requesterOf(options, stored);
  if (!requester) return undefined;
  const isDue = stored.hash === hash && later(stored.rotatedAt, ROTATION_MS) <= time;
  const renewed = mayRotate && isDue ? await rotated(options, hash) : undefined;
  const own = { secret: renewed ?? secret, hash: renewed ? hashOf(renewed) : stored.hash };
  if (later(stored.seenAt, SEEN_MS) <= time) {
    const idleEndsAt = earlier(later(time, SESSION_IDLE_MS), stored.endsAt);
    await rows.seen(own.hash, { at: time, idleEndsAt });
  }
  const { user, createdAt, endsAt } = stored;
  const principal = { ...requester, sessionHash: own.hash };
  const isRenewed = renewed !== undefined;
  return { principal, ...own, isRenewed, createdAt, endsAt, ...(user && { user }) };
}

/** Whether a session has this hash now, or had it a short time ago. */
function accepts({ hash: own, previousEndsAt }: StoredSession, hash: string, time: Date): boolean {
  return own === hash || (previousEndsAt !== undefined && previousEndsAt > time);
}

async function rotated(
  { rows, now, random }: BrowserSessionOptions,
  hash: string,
): Promise<string | undefined> {
  const secret = makeSecret(random);
  const at = now();
  const change = { to: hashOf(secret), at, graceUntil: later(at, GRACE_MS) };
  return (await rows.rotate(hash, change)) ? secret : undefined;
}

/** Returns what the session may do now; undefined when its user or token may no longer sign in. */
async function requesterOf(
  { tokens, now }: BrowserSessionOptions,
  { user, userId, tokenId, epoch }: StoredSession,
): Promise<Requester | undefined> {
  if (userId !== undefined) {
    const isValid = user?.state === "active" && user.epoch === epoch;
    return isValid ? sessionPrincipalOf(user) : undefined;
  }
  const token = tokenId === undefined ? undefined : await tokens.findById(tokenId);
  return token && isValidToken(token, now()) ? principalOf(token) : undefined;
}

function isValidToken(token: TokenRecord, time: Date): boolean {
  return endOf(token, time) === undefined;
}

function sessionPrincipalOf({
  id,
  handle,
  role,
  state,
  hasSecondFactor,
}: SessionUser): SessionPrincipal {
  const user = { id, handle, role, state, ...(hasSecondFactor && { hasSecondFactor }) };
  return { kind: "session", name: handle, user };
}

/** The sessions that have not ended, of all rows of a user. */
export function openSessionsOf(
  rows: readonly SessionRecord[],
  { epoch }: { readonly epoch: number },
  now: Date,
): readonly SessionRecord[] {
  return rows.filter((row) => row.epoch === epoch && !isOver(row, now));
}

function isOver({ idleEndsAt, endsAt }: SessionRecord, time: Date): boolean {
  return idleEndsAt <= time || endsAt <= time;
}

function later(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

function earlier(time: Date, other: Date | undefined): Date {
  return other && other < time ? other : time;
}
