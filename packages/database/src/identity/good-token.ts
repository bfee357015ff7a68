import { TokenEndedError } from "@sealhouse/http-responses";
import type { Row, Statement } from "../raw/query-port.ts";
import { optionalTimeOf } from "../raw/row.ts";

/** Whether and when a token has ended; no row when there is no such token any more. */
export const TOKEN_END: Statement = {
  name: "token-end",
  sql: "select revoked_at, expires_at from host_tokens where id = ?",
};

/** @throws TokenEndedError */
export function requireGoodToken([token]: readonly Row[], now: Date): void {
  if (!token || optionalTimeOf(token, "revoked_at")) throw new TokenEndedError("revoked");
  const expiresAt = optionalTimeOf(token, "expires_at");
  if (expiresAt && expiresAt <= now) throw new TokenEndedError("expired");
}
