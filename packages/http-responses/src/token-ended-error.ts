/** Why a token is no longer valid; also by the state and role of its user, or by its session. */
type TokenEnd =
  | "revoked"
  | "expired"
  | "pending"
  | "suspended"
  | "blocked"
  | "demoted"
  | "signed-out";

/**
 * The token or session of a request ended, or its user lost access, before its change was
 * complete. Nothing was changed. Answer 401 or 403 with the message.
 */
export class TokenEndedError extends Error {
  override readonly name = "TokenEndedError";
  readonly code = "token-ended";
  readonly reason: TokenEnd;

  constructor(reason: TokenEnd) {
    super(`${SENTENCES[reason]} during the request. Nothing was changed.`);
    this.reason = reason;
  }
}

const SENTENCES: Readonly<Record<TokenEnd, string>> = {
  revoked: "The token was revoked",
  expired: "The token expired",
  pending: "The user of the token lost access",
  suspended: "The user of the token lost access",
  blocked: "The user of the token was blocked",
  demoted: "The role of the user changed",
  "signed-out": "The session ended",
};
