import type { Caller } from "@sealhouse/request-types";
import type { TokenRecord } from "@sealhouse/identity";
import type { VerifiedIdToken } from "@sealhouse/npm-protocol";

/** The package and publisher of a token, and the ID token that it was exchanged for. */
export type PublisherUse = {
  readonly name: string;
  readonly publisherId: string;
  readonly idToken: VerifiedIdToken;
};

/** Tokens of trusted publishers. */
export interface PublisherTokens {
  /**
   * Stores a token with its event. Its id must derive from the ID token and the package alone: a
   * stored token with the same id is replaced and becomes invalid, as do the tokens that it made.
   * `revoked`: that token was revoked, so the ID token gives no other. `distrusted`: the ID token
   * does not belong to this publisher. The first token also stores the numeric ids of the
   * publisher's repository.
   */
  issue(
    use: PublisherUse,
    token: TokenRecord,
    by: Caller,
  ): Promise<"issued" | "revoked" | "distrusted">;
}
