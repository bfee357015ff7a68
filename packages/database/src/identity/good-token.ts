import { TokenEndedError } from "@sealhouse/http-responses";
import type { Row } from "../raw/query-port.ts";
import { optionalTimeOf } from "../raw/row.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

/** Revocation and expiry of a token; no row when the token does not exist. */
export const TOKEN_VALIDITY = defineStatement(
  "token-validity",
  { id: param.text(36) },
  (db, { id }) =>
    db.selectFrom("host_tokens").select(["revoked_at", "expires_at"]).where("id", "=", id),
);

/** @throws TokenEndedError */
export function requireGoodToken([token]: readonly Row[], now: Date): void {
  if (!token || optionalTimeOf(token, "revoked_at")) throw new TokenEndedError("revoked");
  const expiresAt = optionalTimeOf(token, "expires_at");
  if (expiresAt && expiresAt <= now) throw new TokenEndedError("expired");
}
