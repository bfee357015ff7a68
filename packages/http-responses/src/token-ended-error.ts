/** The token of a request was revoked or expired before its change was complete. Nothing was
 * changed. Answer 401 or 403 with the message. */
export class TokenEndedError extends Error {
  override readonly name = "TokenEndedError";
  readonly code = "token-ended";
  readonly reason: "revoked" | "expired";

  constructor(reason: "revoked" | "expired") {
    const how = reason === "revoked" ? "was revoked" : "expired";
    super(`The token ${how} during the request. Nothing was changed.`);
    this.reason = reason;
  }
}
