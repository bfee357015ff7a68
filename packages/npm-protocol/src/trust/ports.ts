import type { Caller } from "@sealhouse/request-types";

/** Services whose build jobs can prove who they are, as `npm trust` names them. */
export const TRUST_PROVIDERS = ["github", "gitlab", "circleci"] as const;

/** Build service that issues ID tokens. */
export type TrustProvider = (typeof TRUST_PROVIDERS)[number];

/** Rights of a trusted job: publish versions, or submit them for another account to release. */
export const TRUST_PERMISSIONS = ["createPackage", "createStagedPackage"] as const;

/** Right of a trusted job. */
export type TrustPermission = (typeof TRUST_PERMISSIONS)[number];

/**
 * Required claims of an ID token. A text must be equal; of a list every entry must be present;
 * `file` is the file name of the workflow or pipeline in the repository.
 */
export type TrustClaims = Readonly<Record<string, TrustClaim>>;
export type TrustClaim = string | readonly string[] | { readonly file: string };

/** A publisher to add: provider, issuer, claims and permissions. */
export type NewTrustedPublisher = {
  readonly provider: TrustProvider;
  /** The exact `iss` of the tokens; no other issuer is accepted. */
  readonly issuer: string;
  readonly claims: TrustClaims;
  /** At least one, each once. */
  readonly permissions: readonly TrustPermission[];
};

/** A build job that may publish a package without a secret. */
export type TrustedPublisher = NewTrustedPublisher & {
  /** UUID. */
  readonly id: string;
  readonly createdAt: Date;
  /** The account that added it. */
  readonly createdBy: string;
};

/** Who is trusted with the packages of one protocol. Each change and its events are one
 * transaction. A package need not exist yet. */
export interface TrustedPublishers {
  /** In the order in which they were added. */
  list(name: string): Promise<readonly TrustedPublisher[]>;
  /**
   * Adds all or none. `present`: one of them is trusted already, or is in the list twice (see
   * `trustsTwice`). `crowded`: the package would have more than `most`. Concurrent calls wait for
   * each other.
   */
  add(
    name: string,
    newPublishers: readonly NewTrustedPublisher[],
    by: Caller,
    most: number,
  ): Promise<
    | { readonly status: "added"; readonly publishers: readonly TrustedPublisher[] }
    | { readonly status: "present" }
    | { readonly status: "crowded" }
    /** `reason`: why no job can have the claims of a publisher, as sentences. */
    | { readonly status: "refused"; readonly reason: string }
  >;
  /** Tokens that were made for it end with it. */
  revoke(name: string, id: string, by: Caller): Promise<"revoked" | "absent">;
}

/** Publishing with the ID tokens of build services. */
export interface NpmTrust {
  readonly publishers: TrustedPublishers;
  /**
   * Accepted issuers; a provider without an issuer cannot be trusted. Empty: trusted publishing is
   * off.
   */
  readonly issuers: Readonly<Partial<Record<TrustProvider, string>>>;
  /**
   * Exchanges the ID token that a request has as its bearer token for a token of one package. It
   * does what the publisher may, and nothing else. It replaces the one that the same ID token gave
   * for the same package before.
   */
  exchange(tokenRequest: {
    readonly request: Request;
    readonly env: unknown;
    readonly name: string;
  }): Promise<
    | {
        readonly status: "issued";
        readonly token: string;
        readonly createdAt: Date;
        readonly expiresAt: Date;
      }
    /** The ID token is not valid; `reason` is a sentence for the sender. */
    | { readonly status: "refused"; readonly reason: string }
    /** The token that this ID token gave for this package before was revoked. */
    | { readonly status: "revoked" }
    /** Too many invalid ID tokens from the network. */
    | { readonly status: "limited"; readonly retryAfterSeconds: number }
    /** No publisher fits. `reason` is present only for jobs of a known repository. */
    | {
        readonly status: "distrusted";
        readonly claims: Readonly<Record<string, unknown>>;
        readonly reason?: string;
      }
  >;
}
