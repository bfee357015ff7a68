import type { Caller } from "@sealhouse/request-types";
import { createToken } from "../create-token.ts";
import type { NewToken, TokenMaking } from "../create-token.ts";
import { TokenSettingError } from "../errors.ts";
import { endOf } from "../principal.ts";
import { scopesBeyond } from "../people/role-scopes.ts";
import type { TokenAdministration, TokenRecord } from "../ports.ts";
import { replaceToken } from "../replace-token.ts";
import type { TokenReplaced } from "../replace-token.ts";
import type { SessionUser } from "../sessions/session.ts";
import { descendantsOf } from "../token-family.ts";

/** The user whose tokens they are. */
export type TokenOwner = Pick<SessionUser, "id" | "handle" | "role">;

/** A token of a user, and the tokens that end with it. */
export type OwnToken = {
  readonly token: TokenRecord;
  /** Valid and expired tokens that were made with it. */
  readonly made: readonly TokenRecord[];
};

/** Maximum number of valid tokens of a user that no other token made. */
export const OWN_TOKENS_MAX = 100;

/** Tokens of the user who is signed in. Each change writes an event. */
export interface OwnTokens {
  /** Without revoked ones, in order of creation. */
  list(owner: TokenOwner): Promise<readonly TokenRecord[]>;
  /** Undefined when the id is that of no token of the user. */
  find(owner: TokenOwner, id: string): Promise<OwnToken | undefined>;
  /**
   * Checks a new token before its confirmation.
   *
   * @throws TokenSettingError when `create` would refuse its settings or its scopes
   */
  check(owner: TokenOwner, newToken: NewToken): void;
  /**
   * Creates a token, which never allows more than the role of the user. Refuses when the user has
   * `OWN_TOKENS_MAX` valid ones.
   *
   * @throws TokenSettingError
   */
  create(
    owner: TokenOwner,
    newToken: NewToken,
    by: Caller,
  ): Promise<{ readonly token: string; readonly record: TokenRecord }>;
  /**
   * Creates a token with the same scopes and limits.
   *
   * @throws TokenSettingError when the role no longer has the scopes, or the user has the maximum
   */
  replace(
    owner: TokenOwner,
    id: string,
    change: { readonly expiresAt: Date | undefined; readonly by: Caller },
  ): Promise<TokenReplaced>;
  /** Revokes a token and all tokens that were made with it. */
  revoke(owner: TokenOwner, id: string, by: Caller): Promise<"revoked" | "unchanged" | "absent">;
}

/** Dependencies of `createOwnTokens`. */
export type OwnTokenOptions = Omit<TokenMaking, "now"> & {
  readonly tokens: Pick<TokenAdministration, "insert" | "listNamed" | "replace" | "revoke">;
  readonly now: () => Date;
};

/** Lists, creates, replaces and revokes the tokens of a user. */
export function createOwnTokens(options: OwnTokenOptions): OwnTokens {
  const { tokens, now } = options;
  return {
    list: async (owner) => (await allOf(options, owner)).filter(({ revokedAt }) => !revokedAt),
    async find(owner, id) {
      const all = await allOf(options, owner);
      const token = all.find((one) => one.id === id);
      if (!token) return undefined;
      return { token, made: descendantsOf(all, id).filter(({ revokedAt }) => !revokedAt) };
    },
    check(owner, newToken) {
      checkRole(owner, newToken);
      createToken(newToken, makingOf(options));
    },
    async create(owner, newToken, by) {
      checkRole(owner, newToken);
      checkCount(await allOf(options, owner), now());
      const { token, record } = createToken(newToken, makingOf(options));
      const held = { ...record, owner: owner.handle, userId: owner.id };
      await tokens.insert(held, by);
      return { token, record: held };
    },
    async replace(owner, id, { expiresAt, by }) {
      const all = await allOf(options, owner);
      const replaced = all.find((one) => one.id === id);
      if (!replaced) return { status: "absent" };
      checkRole(owner, replaced);
      if (replaced.parentId === undefined) checkCount(all, now());
      return replaceToken(tokens, { replaced, all, expiresAt, by }, makingOf(options));
    },
    async revoke(owner, id, by) {
      const all = await allOf(options, owner);
      if (!all.some((one) => one.id === id)) return "absent";
      return tokens.revoke(id, now(), by);
    },
  };
}

/** A token that belongs to no user may have the same owner. */
async function allOf(
  { tokens }: OwnTokenOptions,
  { id, handle }: TokenOwner,
): Promise<readonly TokenRecord[]> {
  return (await tokens.listNamed(handle)).filter(({ userId }) => userId === id);
}

function checkRole({ role }: TokenOwner, { scopes }: Pick<NewToken, "scopes">): void {
  const [beyond] = scopesBeyond(role, scopes);
  if (beyond === undefined) return;
  throw new TokenSettingError("scopes", `Your role ${role} does not include ${beyond}.`);
}

const CROWDED = `You have ${OWN_TOKENS_MAX} valid tokens, the maximum. Revoke one of them first.`;

function checkCount(all: readonly TokenRecord[], now: Date): void {
  const valid = all.filter((token) => token.parentId === undefined && !endOf(token, now));
  if (valid.length < OWN_TOKENS_MAX) return;
  throw new TokenSettingError("owner", CROWDED);
}

function makingOf({ pepper, random, now }: OwnTokenOptions): TokenMaking {
  return { pepper, random, now: now() };
}
