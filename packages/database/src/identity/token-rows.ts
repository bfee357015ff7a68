import { ROLES, SCOPES, SERVICE_ACCOUNT_STATES, USER_STATES } from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import { UnexpectedRowError } from "../errors.ts";
import { textList } from "../statements/text-list.ts";
import type { Tables } from "../statements/tables.ts";
import type { Kysely, Selectable } from "#kysely";

/** Tokens with their users and service accounts. */
export function tokensWithHolders(db: Kysely<Tables>) {
  return db
    .selectFrom("host_tokens")
    .leftJoin("host_users", "host_users.id", "host_tokens.user_id")
    .leftJoin(
      "host_service_accounts",
      "host_service_accounts.id",
      "host_tokens.service_account_id",
    );
}

/** The columns of a token. */
export const COLUMNS = [
  "id",
  "name",
  "owner",
  "parent_id",
  "prefix",
  "hash",
  "scheme",
  "scopes",
  "protocols",
  "patterns",
  "networks",
  "created_at",
  "expires_at",
  "revoked_at",
  "last_used_at",
  "last_used_from",
  "user_id",
  "service_account_id",
  "policy_id",
  "replaces",
  "leaked_at",
] as const;
/** The same, where other tables are joined. */
export const OWN_COLUMNS = COLUMNS.map((column) => `host_tokens.${column}` as const);
/** The holder of now: what a holder may no longer do, its tokens may no longer do. */
export const HOLDER_COLUMNS = [
  "host_users.handle as user_handle",
  "host_users.role as user_role",
  "host_users.state as user_state",
  "host_users.second_factor as user_second_factor",
  "host_service_accounts.name as account_name",
  "host_service_accounts.state as account_state",
  "host_service_accounts.team_id as account_team_id",
] as const;

/** A row with these columns. */
export type TokenRow = Pick<Selectable<Tables["host_tokens"]>, (typeof COLUMNS)[number]> & {
  readonly user_handle?: string | null;
  readonly user_role?: string | null;
  readonly user_state?: string | null;
  readonly user_second_factor?: string | null;
  readonly account_name?: string | null;
  readonly account_state?: string | null;
  readonly account_team_id?: string | null;
};

const PROTOCOLS: readonly Protocol[] = ["nuget", "npm", "oci"];

/** Parses a row. An unknown word is an error. */
export function recordOf(row: TokenRow): TokenRecord {
  return {
    id: row.id,
    name: row.name,
    ...(row.owner !== null && { owner: row.owner }),
    ...(row.parent_id !== null && { parentId: row.parent_id }),
    prefix: row.prefix,
    hash: row.hash,
    scheme: row.scheme,
    scopes: membersOf("scopes", row.scopes, SCOPES),
    protocols: membersOf("protocols", row.protocols, PROTOCOLS),
    patterns: textList(row.patterns),
    networks: textList(row.networks),
    createdAt: row.created_at,
    ...(row.expires_at && { expiresAt: row.expires_at }),
    ...(row.revoked_at && { revokedAt: row.revoked_at }),
    ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
    ...(row.last_used_from !== null && { lastUsedFrom: row.last_used_from }),
    ...(row.user_id !== null && { userId: row.user_id }),
    ...(row.service_account_id !== null && { serviceAccountId: row.service_account_id }),
    ...(row.policy_id !== null && { policyId: row.policy_id }),
    ...(row.replaces !== null && { replaces: row.replaces }),
    ...(row.leaked_at && { leakedAt: row.leaked_at }),
    ...userOf(row),
    ...accountOf(row),
  };
}

/** The user of a token; lists do not have it. */
function userOf(row: TokenRow): Pick<TokenRecord, "user"> {
  const { user_id: id, user_handle: handle, user_role: role, user_state: state } = row;
  if (id === null || handle === undefined) return {};
  return {
    user: {
      id,
      handle: handle ?? "",
      role: memberOf("role", role ?? "", ROLES),
      state: memberOf("state", state ?? "", USER_STATES),
      ...secondFactorOf(row.user_second_factor),
    },
  };
}

/** Parses whether the last sign-in of a user had a second factor. */
export function secondFactorOf(word: string | null | undefined) {
  return typeof word === "string" ? { hasSecondFactor: word === "yes" } : {};
}

/** The service account of a token; lists do not have it. */
function accountOf(row: TokenRow): Pick<TokenRecord, "serviceAccount"> {
  const { service_account_id: id, account_name: name, account_state: state } = row;
  const { account_team_id: teamId } = row;
  if (id === null || name === undefined) return {};
  return {
    serviceAccount: {
      id,
      name: name ?? "",
      state: memberOf("state", state ?? "", SERVICE_ACCOUNT_STATES),
      ...(typeof teamId === "string" && { teamId }),
    },
  };
}

/** An unknown word never widens what a token may do, so it is an error and not left out. */
export function membersOf<T extends string>(
  column: string,
  json: string,
  knownNames: readonly T[],
): readonly T[] {
  return textList(json).map((text) => memberOf(column, text, knownNames));
}

/** @throws UnexpectedRowError */
export function memberOf<T extends string>(
  column: string,
  text: string,
  knownNames: readonly T[],
): T {
  const member = knownNames.find((name) => name === text);
  if (member === undefined) throw new UnexpectedRowError(column, text);
  return member;
}
