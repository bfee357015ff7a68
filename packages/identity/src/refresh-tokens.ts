import { createHash } from "node:crypto";
import type { TokenLookup } from "./ports.ts";
import type { Principal } from "./principal.ts";
import { endOf, principalOf } from "./principal.ts";

/** What `docker login` keeps instead of a password, as it is stored. */
export type RefreshTokenRecord = {
  /** Lower-case hex of the SHA-256 of the token. */
  readonly hash: string;
  /** The API token that it stands for. */
  readonly tokenId: string;
  /** The client's name for itself. */
  readonly client: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt?: Date;
};

export interface RefreshTokenStore {
  /** Inserts, and forgets what has expired and what is too many of the same API token: first of
   * the same client, then of all, those that were not used for longest. */
  insert(record: RefreshTokenRecord, most: RefreshTokenLimits): Promise<void>;
  find(hash: string): Promise<RefreshTokenRecord | undefined>;
  /** Nothing happens when it is gone. */
  used(hash: string, at: Date, expiresAt: Date): Promise<void>;
}

/** How many may be good at a time for one API token. */
export type RefreshTokenLimits = { readonly ofClient: number; readonly ofToken: number };

export type RefreshTokenOptions = {
  readonly store: RefreshTokenStore;
  readonly tokens: Pick<TokenLookup, "findById">;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
  /** Without use for this long it ends. */
  readonly idleMs?: number;
};

export type RefreshTokens = {
  /** `client` is what the client calls itself, and may be anything. */
  issue(principal: Principal, client: string): Promise<string>;
  /** Two look-ups: it dies with the API token it stands for. Undefined when it opens nothing. */
  verify(token: string): Promise<Principal | undefined>;
};

const PREFIX = "shr_";
const SECRET_BYTES = 32;
const TEXT = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{43}$`);
const CLIENT_MAX = 64;
const DAY_MS = 24 * 60 * 60_000;
const IDLE_MS = 90 * DAY_MS;
/** Uses are written so seldom. */
const USE_MS = 60 * 60_000;
/** A client that takes a new one for each run pushes out its own before those of others. */
const LIMITS: RefreshTokenLimits = { ofClient: 20, ofToken: 100 };

/**
 * Opaque tokens, good for new bearer tokens of one API token. A use does not replace them: docker
 * stores the one it got when it logged in and no other. Each use puts the end off instead.
 */
export function createRefreshTokens(options: RefreshTokenOptions): RefreshTokens {
  const { store, tokens, now, random, idleMs = IDLE_MS } = options;
  const endFrom = (at: Date) => new Date(at.getTime() + idleMs);
  return {
    async issue({ tokenId }, client) {
      const token = `${PREFIX}${Buffer.from(random(SECRET_BYTES)).toString("base64url")}`;
      const createdAt = now();
      const record = { hash: hashOf(token), tokenId, client: client.slice(0, CLIENT_MAX) };
      await store.insert({ ...record, createdAt, expiresAt: endFrom(createdAt) }, LIMITS);
      return token;
    },
    async verify(token) {
      const at = now();
      const record = TEXT.test(token) ? await store.find(hashOf(token)) : undefined;
      if (!record || record.expiresAt <= at) return undefined;
      const behind = await tokens.findById(record.tokenId);
      if (!behind || endOf(behind, at) !== undefined) return undefined;
      const lastAt = record.lastUsedAt ?? record.createdAt;
      if (!record.lastUsedAt || at.getTime() - lastAt.getTime() >= USE_MS) {
        await store.used(record.hash, at, endFrom(at));
      }
      return principalOf(behind);
    },
  };
}

/** Which of the tokens of one API token have to go, before `client` gets one more. */
export function tooManyRefreshTokens(
  kept: readonly RefreshTokenRecord[],
  client: string,
  most: RefreshTokenLimits,
): readonly RefreshTokenRecord[] {
  const oldestFirst = kept.toSorted((one, other) => lastOf(one) - lastOf(other));
  const own = oldestFirst.filter((one) => one.client === client);
  const gone = own.slice(0, Math.max(0, own.length + 1 - most.ofClient));
  const rest = oldestFirst.filter((one) => !gone.includes(one));
  return [...gone, ...rest.slice(0, Math.max(0, rest.length + 1 - most.ofToken))];
}

function lastOf({ lastUsedAt, createdAt }: RefreshTokenRecord): number {
  return (lastUsedAt ?? createdAt).getTime();
}

/** The token is random, so a plain hash keeps it as well as a keyed one would. */
function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
