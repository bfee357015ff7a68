import type { Role } from "../people/person.ts";

/** An identity provider that the registry knows; also the end of its callback path. */
export type ProviderName = "microsoft" | "google" | "github";

/** Parameters of one sign-in. The first four are random and kept until the browser comes back. */
export type SignInAttempt = {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE verifier. */
  readonly verifier: string;
  /** The registered callback at the registry's public address. */
  readonly redirectUri: string;
  /** Asks the provider for a sign-in after this time, for a step-up. */
  readonly freshSince?: Date;
};

/** A person whose membership the provider confirmed. */
export type VerifiedPerson = {
  readonly status: "verified";
  readonly issuer: string;
  /** The provider's id of the account, which never changes. */
  readonly subject: string;
  /** The account's name at the provider, for people: a login or an address. */
  readonly shown: string;
  readonly displayName: string;
  readonly email?: string;
  /** From the configured groups; undefined when none is configured. */
  readonly role?: Role;
  /** The configured groups that the person belongs to. */
  readonly groups: readonly string[];
  /** Whether the provider asked for a second factor; undefined when it does not tell. */
  readonly hasSecondFactor?: boolean;
  /** Secret that asks the provider again; undefined when it gave none. */
  readonly grant?: Uint8Array;
};

/** A refusal, with its reason as a sentence for the person. */
export type RefusedPerson = {
  readonly status: "refused";
  readonly reason: string;
  /** In kebab-case, for the audit log. */
  readonly code: string;
  /** The provider's account, when it is known. */
  readonly shown?: string;
};

/**
 * Outcome of asking the provider again. `unknown`: it did not answer, or its answer does not tell.
 */
export type MembershipCheck =
  | ({ readonly outcome: "member" } & Pick<VerifiedPerson, "role" | "groups" | "grant">)
  | { readonly outcome: "gone"; readonly reason: string }
  | { readonly outcome: "unknown"; readonly reason: string };

/** Signs people in at one identity provider. */
export interface SignInProvider {
  readonly name: ProviderName;
  /** Its name for people: `Microsoft`. */
  readonly label: string;
  /** The issuer of every person that it verifies. */
  readonly issuer: string;
  /** Whether it can ask a person to sign in again, and tells when the person did. */
  readonly canAskAgain: boolean;
  /** Returns the provider's page. */
  start(attempt: SignInAttempt): Promise<URL>;
  /** Handles the URL that the browser came back with. Throws when the provider cannot be asked. */
  finish(callback: URL, attempt: SignInAttempt): Promise<VerifiedPerson | RefusedPerson>;
  check(grant: Uint8Array): Promise<MembershipCheck>;
  /** Ends a grant at the provider, as far as it offers that. */
  forget(grant: Uint8Array): Promise<void>;
}
