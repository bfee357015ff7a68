import type { Caller } from "@sealhouse/request-types";

/** Services whose build jobs can prove who they are, as `npm trust` names them. */
export const TRUST_PROVIDERS = ["github", "gitlab", "circleci"] as const;
export type TrustProvider = (typeof TRUST_PROVIDERS)[number];

/** What a trusted job may do: publish versions, or hand them in for somebody else to release. */
export const TRUST_PERMISSIONS = ["createPackage", "createStagedPackage"] as const;
export type TrustPermission = (typeof TRUST_PERMISSIONS)[number];

/**
 * What an ID token must say, claim by claim. A text must be the same; of a list every entry must be
 * there; `file` is the name of the workflow or pipeline file within the repository named beside it.
 */
export type TrustClaims = Readonly<Record<string, TrustClaim>>;
export type TrustClaim = string | readonly string[] | { readonly file: string };

export type NewTrustedPublisher = {
  readonly provider: TrustProvider;
  /** Exactly as it stands in `iss` of the tokens; no other issuer's count. */
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
  /** Whoever set it up. */
  readonly createdBy: string;
};

/** Who is trusted with the packages of one protocol. Each change and its events are one
 * transaction. A package need not exist yet. */
export interface TrustedPublishers {
  /** Those that were added first are first. */
  list(name: string): Promise<readonly TrustedPublisher[]>;
  /** All or none. `present`: one of them is trusted already, or twice in the list; `trustsTwice`
   * tells. `crowded`: the package would have more than `most`. Who adds at the same time waits. */
  add(
    name: string,
    wanted: readonly NewTrustedPublisher[],
    by: Caller,
    most: number,
  ): Promise<
    | { readonly status: "added"; readonly publishers: readonly TrustedPublisher[] }
    | { readonly status: "present" }
    | { readonly status: "crowded" }
  >;
  /** Tokens that were made for it end with it. */
  revoke(name: string, id: string, by: Caller): Promise<"revoked" | "absent">;
}

/** What an ID token says, once it is sure who issued it, that it is meant for us, and that it is
 * neither too old nor too new. */
export type VerifiedIdToken = {
  readonly issuer: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Tells it from all other ID tokens. */
  readonly fingerprint: string;
};

/** Publishing by whoever a build service vouches for. */
export interface NpmTrust {
  readonly publishers: TrustedPublishers;
  /** Whose tokens are believed; a provider without an issuer cannot be trusted here. None: all of
   * this is off. */
  readonly issuers: Readonly<Partial<Record<TrustProvider, string>>>;
  /** Reads the ID token that a request carries as its bearer token. */
  verify(
    request: Request,
    env: unknown,
  ): Promise<
    | { readonly status: "valid"; readonly token: VerifiedIdToken; readonly from: Origin }
    | { readonly status: "refused"; readonly reason: string }
  >;
  /** Makes a token for one package that does what the publisher may, and nothing else. It replaces
   * the one that the same ID token gave for the same package before. */
  issue(wanted: {
    readonly name: string;
    readonly publisher: TrustedPublisher;
    readonly idToken: VerifiedIdToken;
    readonly from: Origin;
  }): Promise<
    | {
        readonly status: "issued";
        readonly token: string;
        readonly createdAt: Date;
        readonly expiresAt: Date;
      }
    /** The token that this ID token gave for this package before was revoked. */
    | { readonly status: "revoked" }
    /** The publisher is not trusted any more, or its repository has become another one. */
    | { readonly status: "distrusted" }
  >;
}

/** Where a request came from, for events. */
export type Origin = Pick<Caller, "address" | "requestId">;
