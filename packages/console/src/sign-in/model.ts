/** A pending sign-in or confirmation that a command-line client started. */
export type SignInPage = {
  /** The code that the operator types, such as `BCDF-2345`. */
  readonly code: string;
  /** `login` returns a token to the client; `confirm` approves the client's pending action. */
  readonly purpose: "login" | "confirm";
  readonly state: "waiting" | "agreed" | "denied" | "ended";
  readonly until: Date;
  /** Network address of the client. */
  readonly address?: string;
};
