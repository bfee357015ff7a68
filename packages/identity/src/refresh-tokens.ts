import { createHash } from "node:crypto";
import type { TokenLookup } from "./ports.ts";
import type { Principal } from "./principal.ts";
import { endOf, principalOf } from "./principal.ts";

/** A stored refresh token, which `docker login` keeps instead of a password. */
export type RefreshTokenRecord = {
  /** Lower-case hex of the SHA-256 of the token. */
  readonly hash: string;
  /** Id of the API token. */
  readonly tokenId: string;
  /** Name that the client gave itself. */
  readonly client: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt?: Date;
};

/** Store of refresh tokens. */
export interface RefreshTokenStore {
  /**
   * Inserts a token. Deletes expired tokens, and the least recently used ones above the limits:
   * first of the same client, then of the API token.
   */
  insert(record: RefreshTokenRecord, most: RefreshTokenLimits): Promise<void>;
  find(hash: string): Promise<RefreshTokenRecord | undefined>;
  /** Updates the last use; ignores an unknown token. */
  used(hash: string, usedAt: Date, expiresAt: Date): Promise<void>;
}

/** Maximum number of valid refresh tokens per API token. */
export type RefreshTokenLimits = { readonly ofClient: number; readonly ofToken: number };

/** Dependencies and settings of `createRefreshTokens`. */
export type RefreshTokenOptions = {
  readonly store: RefreshTokenStore;
  readonly tokens: Pick<TokenLookup, "findById">;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
  /** Milliseconds without use until expiry; default 90 days. */
  readonly idleMs?: number;
};

/** Issues and verifies refresh tokens. */
export type RefreshTokens = {
  /** Issues a token. `client` is the untrusted name that the client gave itself. */
  issue(principal: Principal, client: string): Promise<string>;
  /**
   * Verifies a token with two lookups. It is invalid when its API token is. Undefined when invalid.
   */
  verify(token: string): Promise<Principal | undefined>;
};

const PREFIX = "shr_";
const SECRET_BYTES = 32;
const TEXT = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{43}$`);
const CLIENT_MAX = 64;
const DAY_MS = 24 * 60 * 60_000;
const IDLE_MS = 90 * DAY_MS;
/** Minimum milliseconds between two writes of a token's use. */
const USE_MS = 60 * 60_000;
/** A client that requests a token for each run removes its own tokens first. */
const LIMITS: RefreshTokenLimits = { ofClient: 20, ofToken: 100 };

/**
 * Creates opaque tokens that clients exchange for bearer tokens of one API token. A use does not
 * replace the token, because docker keeps the one from its sign-in. It extends the expiry instead.
 */
export function createRefreshTokens(options: RefreshTokenOptions): RefreshTokens {
  const { store, tokens, now, random, idleMs = IDLE_MS } = options;
  const endFrom = (time: Date) => new Date(time.getTime() + idleMs);
  return {
    async issue({ tokenId }, client) {
      const token = `${PREFIX}${Buffer.from(random(SECRET_BYTES)).toString("base64url")}`;
      const createdAt = now();
      const record = { hash: hashOf(token), tokenId, client: client.slice(0, CLIENT_MAX) };
      await store.insert({ ...record, createdAt, expiresAt: endFrom(createdAt) }, LIMITS);
      return token;
    },
    async verify(token) {
      const time = now();
      const record = TEXT.test(token) ? await store.find(hashOf(token)) : undefined;
      if (!record || record.expiresAt <= time) return undefined;
      const behind = await tokens.findById(record.tokenId);
      if (!behind || endOf(behind, time) !== undefined) return undefined;
      const lastAt = record.lastUsedAt ?? record.createdAt;
      if (!record.lastUsedAt || time.getTime() - lastAt.getTime() >= USE_MS) {
        await store.used(record.hash, time, endFrom(time));
      }
      return principalOf(behind);
    },
  };
}

/** Returns the tokens of one API token to delete before `client` gets another. */
export function tooManyRefreshTokens(
  records: readonly RefreshTokenRecord[],
  client: string,
  most: RefreshTokenLimits,
): readonly RefreshTokenRecord[] {
  const oldestFirst = records.toSorted((record, other) => lastOf(record) - lastOf(other));
  const own = oldestFirst.filter((record) => record.client === client);
  const gone = own.slice(0, Math.max(0, own.length + 1 - most.ofClient));
  const rest = oldestFirst.filter((record) => !gone.includes(record));
  return [...gone, ...rest.slice(0, Math.max(0, rest.length + 1 - most.ofToken))];
}

function lastOf({ lastUsedAt, createdAt }: RefreshTokenRecord): number {
  return (lastUsedAt ?? createdAt).getTime();
}

/** The token is random, so a hash without a key is sufficient. */
function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
