import type { Authenticator } from "../authenticator.ts";
import type { BearerTokens } from "../bearer-tokens.ts";
import type { NameRules } from "../ownership/name-rules.ts";
import type { Principal } from "../principal.ts";
import type { RefreshTokens } from "../refresh-tokens.ts";
import type { NameViews } from "../visibility/visibility.ts";
import type { IdentificationRules, RequestOrigin } from "./identification.ts";

/** The dependencies of access decisions, for all protocols. */
export type AccessRules = IdentificationRules & {
  readonly authenticator: Authenticator;
  readonly bearerTokens: BearerTokens;
  readonly refreshTokens: RefreshTokens;
  /** Finds the principal of an ID token of a build job; undefined where none is accepted. */
  readonly idTokens?: (text: string, from: RequestOrigin) => Promise<Principal | undefined>;
  readonly anonymousPull: boolean;
  /** Returns what a caller sees of the names; undefined where all names are public. */
  readonly views?: NameViews;
  readonly now: () => Date;
  /** Names that users without a second factor only read; undefined = none. */
  readonly mfaPatterns?: readonly string[] | undefined;
  /** Absent where names have no owners. */
  readonly names?: NameRules | undefined;
};
