/**
 * The name of a publish belongs to other owners: another publisher created it during the request,
 * or the owners removed this one. Nothing was changed. Answer 403 with the message.
 */
export class NameTakenError extends Error {
  override readonly name = "NameTakenError";
  readonly code = "name-taken";

  constructor(takenName: string) {
    super(`${takenName} belongs to other owners, and only they publish it.`);
  }
}

/**
 * The token of a request belongs to a build job that may only publish existing names. Nothing was
 * changed. Answer 403 with the message.
 */
export class NewNameError extends Error {
  override readonly name = "NewNameError";
  readonly code = "new-name-refused";

  constructor() {
    super(
      "The name does not exist yet, and the pipeline may not create names. An operator can allow " +
        "it: sealhouse pipeline add --may-create",
    );
  }
}

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
