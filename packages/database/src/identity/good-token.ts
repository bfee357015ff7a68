import { TokenEndedError } from "@sealhouse/http-responses";
import { ROLES, scopesWithin } from "@sealhouse/identity";
import type { CallerCredentials } from "@sealhouse/request-types";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { memberOf, tokensWithHolders } from "./token-rows.ts";

/** The credentials of a caller, if it has any. */
export type Asker = Partial<CallerCredentials>;

/**
 * Revocation and expiry of a token, and the state and role of its holder; no row when the token
 * does not exist.
 */
export const TOKEN_VALIDITY = defineStatement(
  "token-validity",
  { id: param.text(36) },
  (db, { id }) =>
    tokensWithHolders(db)
      .leftJoin("host_publish_policies as policy", "policy.id", "host_tokens.policy_id")
      .leftJoin("host_users as maker", "maker.id", "policy.maker_id")
      .leftJoin("host_users as owner", "owner.id", "policy.owner_id")
      .select([
        "host_tokens.revoked_at",
        "host_tokens.expires_at",
        "host_users.state as user_state",
        "host_users.role as user_role",
        "host_service_accounts.state as account_state",
        "maker.state as maker_state",
        "maker.role as maker_role",
        "owner.state as owner_state",
        "owner.role as owner_role",
        "policy.may_create",
      ])
      .where("host_tokens.id", "=", id),
);

/**
 * A session and its user, also by the hash before the last rotation; no row when the session was
 * ended.
 */
const SESSION_VALIDITY = defineStatement(
  "session-validity",
  { hash: param.text(64) },
  (db, { hash }) =>
    db
      .selectFrom("host_sessions as session")
      .leftJoin("host_users", "host_users.id", "session.user_id")
      .select([
        "session.user_id",
        "session.epoch",
        "session.ends_at",
        "host_users.epoch as user_epoch",
        "host_users.state as user_state",
        "host_users.role as user_role",
      ])
      .where((row) =>
        row.or([row("session.hash", "=", hash), row("session.previous_hash", "=", hash)]),
      ),
);

/** States of the user or service account of a token, and of the people behind a job. */
const HOLDER_STATES = ["user_state", "account_state", "maker_state", "owner_state"] as const;

/** Roles of the people behind a job: who trusted it, and for whom it publishes. */
const JOB_ROLES = ["maker_role", "owner_role"] as const;

/**
 * Requires that the token or session of a caller is still valid, and that the role of its user
 * still allows the change. `mayCreate`: whether it may create names, which some build jobs may not.
 *
 * @throws TokenEndedError
 */
export async function requireGoodCaller(
  queries: Queries,
  { tokenId, sessionHash, needs }: Asker,
  now: Date,
): Promise<{ readonly mayCreate: boolean }> {
  let mayCreate = true;
  if (tokenId !== undefined) {
    const token = await queries.one(TOKEN_VALIDITY, { id: tokenId });
    requireGoodToken(token, now, needs);
    mayCreate = token?.may_create !== false;
  }
  if (sessionHash !== undefined) {
    requireGoodSession(await queries.one(SESSION_VALIDITY, { hash: sessionHash }), now, needs);
  }
  return { mayCreate };
}

type Validity = RowOf<typeof TOKEN_VALIDITY>;
/** The people behind a job may be left out, where jobs cannot be meant. */
type TokenEnd = Partial<Validity> & Pick<Validity, "revoked_at" | "expires_at">;

/** @throws TokenEndedError */
export function requireGoodToken(
  token: TokenEnd | undefined,
  now: Date,
  needs?: Asker["needs"],
): void {
  if (!token || token.revoked_at) throw new TokenEndedError("revoked");
  if (token.expires_at && token.expires_at <= now) throw new TokenEndedError("expired");
  for (const column of HOLDER_STATES) requireActive(token[column]);
  requireRole(token.user_role, needs);
  // Build jobs only publish, with the rights of these people.
  for (const column of JOB_ROLES) requireRole(token[column], ["publish"]);
}

function requireGoodSession(
  session: RowOf<typeof SESSION_VALIDITY> | undefined,
  now: Date,
  needs: Asker["needs"],
): void {
  if (!session || session.ends_at <= now) throw new TokenEndedError("signed-out");
  // The token of a session without a user has its own check.
  if (session.user_id === null) return;
  if (session.user_epoch !== session.epoch) throw new TokenEndedError("signed-out");
  requireActive(session.user_state);
  requireRole(session.user_role, needs);
}

function requireActive(state: string | null | undefined): void {
  if (state === null || state === undefined || state === "active") return;
  throw new TokenEndedError(state === "pending" || state === "suspended" ? state : "blocked");
}

/** Requires that a user's role still allows one of the scopes that the change needs. */
function requireRole(text: string | null | undefined, needs: Asker["needs"]): void {
  if (text === null || text === undefined || !needs) return;
  const allowed = scopesWithin(memberOf("role", text, ROLES), ["admin"]);
  if (!allowed.some((scope) => needs.includes(scope))) throw new TokenEndedError("demoted");
}
