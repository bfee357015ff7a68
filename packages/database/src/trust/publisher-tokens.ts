import type { Caller } from "@sealhouse/request-types";
import type { TokenRecord } from "@sealhouse/identity";
import type { VerifiedIdToken } from "@sealhouse/npm-protocol";

/** What a token is made for, and what it was asked for with. */
export type PublisherUse = {
  readonly name: string;
  readonly publisherId: string;
  readonly idToken: VerifiedIdToken;
};

/** Tokens of trusted publishers. */
export interface PublisherTokens {
  /**
   * Keeps a token, with its event. Its id must come from the ID token and the package alone: a
   * token of the same id that was kept before is replaced and no longer good. `revoked`: that one
   * was revoked, so the ID token gives no other. `distrusted`: the ID token is not, or not any
   * more, of this publisher. From its first token on a publisher is known by the numbers of its
   * repository too.
   */
  issue(
    use: PublisherUse,
    token: TokenRecord,
    by: Caller,
  ): Promise<"issued" | "revoked" | "distrusted">;
}
