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
      .leftJoin("host_publish_policies as policy", "policy.id", "host_tokens.policy_id")
      .leftJoin("host_users as maker", "maker.id", "policy.maker_id")
      .leftJoin("host_users as owner", "owner.id", "policy.owner_id")
      .select([
        "host_tokens.revoked_at",
        "host_tokens.expires_at",
        "host_users.state as user_state",
        "host_service_accounts.state as account_state",
        "maker.state as maker_state",
        "owner.state as owner_state",
      ])
      .where("host_tokens.id", "=", id),
);

/** Whether the build job of a token may create names; no row for other tokens. */
export const TOKEN_POLICY = defineStatement("token-policy", { id: param.text(36) }, (db, { id }) =>
  db
    .selectFrom("host_tokens")
    .innerJoin("host_publish_policies", "host_publish_policies.id", "host_tokens.policy_id")
    .select("host_publish_policies.may_create")
    .where("host_tokens.id", "=", id),
);

/** States of the user or service account of a token, and of the people behind a job. */
const HOLDER_STATES = ["user_state", "account_state", "maker_state", "owner_state"] as const;

/** @throws TokenEndedError */
export function requireGoodToken([token]: readonly Row[], now: Date): void {
  if (!token || optionalTimeOf(token, "revoked_at")) throw new TokenEndedError("revoked");
  const expiresAt = optionalTimeOf(token, "expires_at");
  if (expiresAt && expiresAt <= now) throw new TokenEndedError("expired");
  const state = HOLDER_STATES.map((column) => optionalTextOf(token, column)).find(
    (held) => held !== undefined && held !== "active",
  );
  if (state === undefined) return;
  throw new TokenEndedError(state === "pending" || state === "suspended" ? state : "blocked");
}
