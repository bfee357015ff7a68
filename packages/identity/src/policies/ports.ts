import type { Caller, Protocol } from "@sealhouse/request-types";
import type { IdToken } from "../id-tokens/verify-id-token.ts";
import type { TokenRecord } from "../ports.ts";
import type { PublishPolicy } from "./policy.ts";

/** The use of an ID token with a policy. */
export type PolicyUse = {
  readonly policyId: string;
  readonly idToken: IdToken;
  /** The protocol that the right is for. */
  readonly surface: Protocol;
  /** The name that the right is for; empty for all names of the policy. */
  readonly subject: string;
  /** Whether a token that is still valid stays. Otherwise a new one replaces it. */
  readonly keepsValid: boolean;
};

/**
 * Outcome of a use. `replaced`: an earlier token of the same use ended. `same`: it stays.
 * `revoked`: it was revoked, so the ID token gives no other. `elsewhere`: the ID token was used for
 * another protocol. `distrusted`: it does not belong to the policy, or the policy has ended.
 * `taken`: another user created the name of a pending policy. `absent-name`: the name does not
 * exist, and the policy may not create it.
 */
export type PolicyUseOutcome =
  | "issued"
  | "replaced"
  | "same"
  | "revoked"
  | "elsewhere"
  | "distrusted"
  | "taken"
  | "absent-name";

/** Policies of build jobs. Each change and its event are one transaction. */
export interface Policies {
  /** In order of creation. */
  list(): Promise<readonly PublishPolicy[]>;
  /** Lists the policies of an issuer for a protocol, in order of creation; also ended ones. */
  matching(issuer: string, protocol: Protocol): Promise<readonly PublishPolicy[]>;
  /** Id of the user or team with this handle. */
  ownerNamed(handle: string): Promise<string | undefined>;
  /** Adds a policy. A pending one whose names exist already becomes active. */
  add(policy: PublishPolicy, by: Caller): Promise<"added" | "present">;
  /** Removes a policy and revokes its tokens. */
  remove(id: string, by: Caller): Promise<"removed" | "absent">;
  /**
   * Stores a token with its event. Its id must derive from the ID token, the protocol and the
   * subject alone, so that there is at most one for all of them. The first use stores the ids of
   * the repository, project or account.
   */
  use(use: PolicyUse, token: TokenRecord, by: Caller): Promise<PolicyUseOutcome>;
}
