/** What somebody at a command line waits for. */
export type SignInPage = {
  /** What the operator types: `BCDF-2345`. */
  readonly code: string;
  /** `login` ends with a token; `confirm` lets go on what was asked for. */
  readonly purpose: "login" | "confirm";
  readonly state: "waiting" | "agreed" | "denied" | "ended";
  readonly until: Date;
  /** Where it was asked for. */
  readonly address?: string;
};
