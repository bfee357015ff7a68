import type { Caller, Protocol } from "@sealhouse/request-types";
import type { Role, UserState } from "./people/person.ts";
import type { ServiceAccount } from "./people/service-accounts.ts";

/**
 * Permission of a token. `admin` includes all others. `stage` submits versions for approval and
 * `publish` only adds versions; `write` includes both.
 */
export type Scope =
  | "read"
  | "stage"
  | "publish"
  | "write"
  | "delete"
  | "admin"
  | AdministrativeScope;

/** Permission to administer one part of the registry. It includes nothing else. */
export type AdministrativeScope =
  | "audit:read"
  | "people:write"
  | "tokens:write"
  | "sources:write"
  | "rules:write"
  | "targets:write"
  | "releases:run"
  | "signing:write"
  | "settings:read"
  | "storage:write";

/** A stored API token, without its secret. */
export type TokenRecord = {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  /** Name of the owner; undefined when the token's own name is the owner. */
  readonly owner?: string;
  /** Id of the token that created it. */
  readonly parentId?: string;
  /** The first 12 characters of the token (8 of an imported one); a public lookup key. */
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
  /** Undefined means that the token does not expire. */
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
  readonly lastUsedAt?: Date;
  readonly lastUsedFrom?: string;
  /** The user, service account or publish policy that it belongs to; at most one. */
  readonly userId?: string;
  readonly serviceAccountId?: string;
  readonly policyId?: string;
  /** The user of `userId`, as the user is now. Undefined in `list` and `listNamed`. */
  readonly user?: TokenUser;
  /** The current service account of `serviceAccountId`. Undefined where `user` is. */
  readonly serviceAccount?: TokenServiceAccount;
  /** Id of the token that it replaces. */
  readonly replaces?: string;
  /** When a secret scanner reported it. */
  readonly leakedAt?: Date;
};

/** The user that a token belongs to. */
export type TokenUser = {
  /** UUID. */
  readonly id: string;
  readonly handle: string;
  readonly role: Role;
  readonly state: UserState;
  /** Whether the last sign-in had a second factor. */
  readonly hasSecondFactor?: boolean;
};

/** The service account that a token belongs to. */
export type TokenServiceAccount = Pick<ServiceAccount, "id" | "name" | "teamId" | "state">;

/** Lookups of the request path, with one prepared query each. */
export interface TokenLookup {
  /** Finds tokens by exact, case-sensitive prefix, including revoked and expired ones. */
  findByPrefix(prefix: string): Promise<readonly TokenRecord[]>;
  findById(id: string): Promise<TokenRecord | undefined>;
}

/** Maximum number of valid tokens that one token may have created. */
export const CHILDREN_MAX = 100;

/** Administration of tokens. Each change writes its event in the same transaction. */
export interface TokenAdministration {
  /**
   * Inserts a token; rejects a duplicate id. `orphan`: the parent is revoked or deleted. `crowded`:
   * the parent has `CHILDREN_MAX` valid tokens. Both change nothing.
   */
  insert(token: TokenRecord, by: Caller): Promise<"inserted" | "orphan" | "crowded">;
  /**
   * Inserts `token` with the parent of token `id`, and makes it the parent of that token's
   * children. `absent`: token `id` or its parent is revoked or deleted. `crowded`: that parent has
   * `CHILDREN_MAX` valid tokens; token `id` counts until it expires. Both change nothing.
   */
  replace(id: string, token: TokenRecord, by: Caller): Promise<"replaced" | "absent" | "crowded">;
  /** Lists all tokens in order of creation. */
  list(): Promise<readonly TokenRecord[]>;
  /**
   * Lists the tokens of an owner, and those without an owner that have this name, in order of
   * creation.
   */
  listNamed(owner: string): Promise<readonly TokenRecord[]>;
  /**
   * Revokes a token and all its descendants. `absent`: unknown id. `unchanged`: already revoked.
   */
  revoke(id: string, time: Date, by: Caller): Promise<"revoked" | "unchanged" | "absent">;
}

/** Whether a token can be used. */
export type TokenState = "active" | "expired" | "revoked";

/** In display order. */
export const TOKEN_STATES = [
  "active",
  "expired",
  "revoked",
] as const satisfies readonly TokenState[];

/** Filters of a list; a token must pass all. */
export type TokenFilter = {
  /** As in `listNamed`. */
  readonly owner?: string | undefined;
  readonly userId?: string | undefined;
  readonly serviceAccountId?: string | undefined;
  readonly state?: TokenState | undefined;
  /** Tokens that expire after `now`, and not after this time. */
  readonly expiresUntil?: Date | undefined;
  readonly isUnused?: boolean | undefined;
  readonly isLeaked?: boolean | undefined;
};

/** A part of a list. */
export type TokenPage = TokenFilter & {
  readonly now: Date;
  /** The last token of the page before. */
  readonly after?: Pick<TokenRecord, "createdAt" | "id"> | undefined;
  /** Maximum number of tokens. */
  readonly limit: number;
};

/** Lists of tokens that cost as much as what they return. */
export interface TokenLists {
  /** In order of creation, each with its current user or service account. */
  page(page: TokenPage): Promise<readonly TokenRecord[]>;
  /** At most two tokens whose ids begin with a text of at least one character. */
  startingWith(idPart: string): Promise<readonly TokenRecord[]>;
  /** The tokens that a token created, those that they created, and so on. */
  madeWith(id: string): Promise<readonly TokenRecord[]>;
}

/** Where a secret scanner found a token. */
export type LeakPlace = {
  /** Name of the service that was scanned, or the kind of place. */
  readonly source?: string;
  readonly url?: string;
};

/** Tokens that scanners found outside their holders' hands. */
export interface TokenLeaks {
  /**
   * Marks a token as reported, and revokes it, its descendants, and the tokens that it had created
   * before a replacement became their parent. The first report writes the event `token.leaked`,
   * even for a revoked token. `unchanged`: it was reported before.
   */
  reportLeak(
    id: string,
    leak: LeakPlace & { readonly at: Date },
    by: Caller,
  ): Promise<"reported" | "unchanged" | "absent">;
}

/** Writes off the request path: last use, and upgraded hashes. */
export interface TokenUse {
  /** Stores the latest use of each token; ignores unknown ids. */
  used(uses: readonly { id: string; at: Date; from?: string }[]): Promise<void>;
  rehash(id: string, hash: string, scheme: number): Promise<void>;
}

/** A failed sign-in. Times are milliseconds since 1970. */
export type SignInFailure = {
  readonly now: number;
  /** Milliseconds until one failure no longer counts. */
  readonly stepMs: number;
  /** Maximum milliseconds until no failure of the address counts. */
  readonly windowMs: number;
};

/** Attempts per network (`networksOfAddress`), which all instances count together. */
export interface SignInFailures {
  /**
   * Returns the time after which no failure of the address counts, in milliseconds since 1970.
   * Undefined, or a time in the past, without failures.
   */
  emptyAt(address: string): Promise<number | undefined>;
  /**
   * Moves that time by `stepMs`: from itself, or from `now` when it is in the past. Leaves it when
   * it would be more than `windowMs` after `now` (`full`). Concurrent calls all count.
   */
  add(address: string, failure: SignInFailure): Promise<"added" | "full">;
}
