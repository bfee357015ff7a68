import { TokenEndedError } from "@sealhouse/http-responses";
import type { Row } from "../raw/query-port.ts";
import { optionalTextOf, optionalTimeOf } from "../raw/row.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

/**
 * Revocation and expiry of a token, and the state of its holder; no row when the token does not
 * exist.
 */
export const TOKEN_VALIDITY = defineStatement(
  "token-validity",
  { id: param.text(36) },
  (db, { id }) =>
    db
      .selectFrom("host_tokens")
      .leftJoin("host_users", "host_users.id", "host_tokens.user_id")
      .leftJoin(
        "host_service_accounts",
        "host_service_accounts.id",
        "host_tokens.service_account_id",
      )
      .select([
        "host_tokens.revoked_at",
        "host_tokens.expires_at",
        "host_users.state as user_state",
        "host_service_accounts.state as account_state",
      ])
      .where("host_tokens.id", "=", id),
);

/** @throws TokenEndedError */
export function requireGoodToken([token]: readonly Row[], now: Date): void {
  if (!token || optionalTimeOf(token, "revoked_at")) throw new TokenEndedError("revoked");
  const expiresAt = optionalTimeOf(token, "expires_at");
  if (expiresAt && expiresAt <= now) throw new TokenEndedError("expired");
  const state = optionalTextOf(token, "user_state") ?? optionalTextOf(token, "account_state");
  if (state === undefined || state === "active") return;
  throw new TokenEndedError(state === "pending" || state === "suspended" ? state : "blocked");
}
