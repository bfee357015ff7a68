import type { Caller, Protocol } from "@sealhouse/request-types";

/** What a token may do. `admin` includes the others; `stage` is to hand in what somebody else
 * releases, `publish` to hand in versions and nothing else, and both are part of `write`. */
export type Scope = "read" | "stage" | "publish" | "write" | "delete" | "admin";

/** An API token as it is stored: never the token itself. */
export type TokenRecord = {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  /** Whose it is; absent: it stands for itself, and its name is the owner's. */
  readonly owner?: string;
  /** The token it was made with. */
  readonly parentId?: string;
  /** The first 12 characters of the token (8 of an imported one): public, for look-up. */
  readonly prefix: string;
  /** Lower-case hex of HMAC-SHA-256 over the token, keyed with the pepper (scheme 1). */
  readonly hash: string;
  /** 1 = HMAC-SHA-256; 0 = imported SHA-256 of token + pepper, re-hashed at first use. */
  readonly scheme: number;
  readonly scopes: readonly Scope[];
  /** Empty = all. */
  readonly protocols: readonly Protocol[];
  /** Name patterns (`Acme.*`, `@acme/*`, `team/app/**`); empty = all. */
  readonly patterns: readonly string[];
  /** Source networks in CIDR form; empty = all. */
  readonly networks: readonly string[];
  readonly createdAt: Date;
  /** Undefined = never. */
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
  readonly lastUsedAt?: Date;
  readonly lastUsedFrom?: string;
};

/** Look-ups on the request path: one prepared query each. */
export interface TokenLookup {
  /** Exactly this prefix, letter case included; revoked and expired tokens too. */
  findByPrefix(prefix: string): Promise<readonly TokenRecord[]>;
  findById(id: string): Promise<TokenRecord | undefined>;
}

/** How many tokens that were made with one token may be valid at a time. */
export const CHILDREN_MAX = 100;

/** Administration of tokens; every change writes its event in the same transaction. */
export interface TokenAdministration {
  /** Rejects when the id is taken. Nothing happens with an `orphan`, whose parent is revoked or
   * gone, nor when `CHILDREN_MAX` tokens of the same parent are valid already: `crowded`. */
  insert(token: TokenRecord, by: Caller): Promise<"inserted" | "orphan" | "crowded">;
  /** Inserts `token` with the parent of the token `id`, whose children become those of `token`.
   * `absent`: the token `id`, or its parent, is revoked or gone, and nothing happened. */
  replace(id: string, token: TokenRecord, by: Caller): Promise<"replaced" | "absent">;
  /** All of them, in order of creation. */
  list(): Promise<readonly TokenRecord[]>;
  /** Those of an owner, and those without one that have this name; in order of creation. */
  listNamed(owner: string): Promise<readonly TokenRecord[]>;
  /** Ends a token and all that were made with it, however often it was handed on. `absent` when no
   * token has that id; `unchanged` when it was revoked before. */
  revoke(id: string, at: Date, by: Caller): Promise<"revoked" | "unchanged" | "absent">;
}

/** Off the request path: last use, and hashes brought to the newest scheme. */
export interface TokenUse {
  /** Keeps the latest use of each token; ids that nobody has are passed over. */
  used(uses: readonly { id: string; at: Date; from?: string }[]): Promise<void>;
  rehash(id: string, hash: string, scheme: number): Promise<void>;
}
