/** The token that began a change ended before the change was complete: nothing was changed. Answer
 * 401 or 403, with the message. */
export class TokenEndedError extends Error {
  override readonly name = "TokenEndedError";
  readonly code = "token-ended";
  readonly reason: "revoked" | "expired";

  constructor(reason: "revoked" | "expired") {
    const how = reason === "revoked" ? "was revoked" : "expired";
    super(`The token ${how} while the request was under way. Nothing was changed.`);
    this.reason = reason;
  }
}
