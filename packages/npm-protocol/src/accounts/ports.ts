import type { Caller, PackageVerdict } from "@sealhouse/request-types";

/** Who asks, as far as a token proves it. `actor` is the name of the token's owner. */
export type Holder = Caller & { readonly tokenId: string };

/** The account of a request, or the refusal of its credentials. */
export type Identified =
  | { readonly status: "known"; readonly holder: Holder }
  | Exclude<PackageVerdict, { readonly status: "granted" | "absent" }>;

/** Sign-in and sign-out. Every holder of a token has an account; there is no registration. */
export interface NpmAccounts {
  /** The sender of the request, whatever the scopes of the token are. */
  identify(request: Request, env: unknown): Promise<Identified>;
  /** The holder of a current or former token; names are compared byte by byte. */
  user(name: string): Promise<NpmUser | undefined>;
  /** A token is the only password there is. Gives a new one that opens the same and ends with it
   * at the latest; the request's own credentials do not matter. */
  signIn(request: Request, env: unknown, query: SignInQuery): Promise<SignIn>;
  /**
   * Revokes a token permanently. Its holder may do so; the credentials of the request do not
   * matter.
   */
  signOut(request: Request, env: unknown, token: string): Promise<SignOut>;
  readonly logins: NpmLogins;
  readonly tokens: NpmTokens;
  readonly stepUp: NpmStepUp;
}

/** An account with the time of its first token. */
export type NpmUser = { readonly name: string; readonly createdAt: Date };

export type Limited = { readonly status: "limited"; readonly retryAfterSeconds: number };

/** A sign-in by password, with the confirmation that it may need. */
export type SignInQuery = {
  readonly password: string;
  /**
   * Called before a token is created, with the account of the password; rejects when a person must
   * confirm first.
   */
  readonly confirm: (holder: Holder) => Promise<void>;
};

/** Result of a sign-in by password. */
export type SignIn =
  | { readonly status: "signed-in"; readonly token: string; readonly name: string }
  /** `reason` is a sentence for the person who typed the password. */
  | { readonly status: "refused"; readonly reason: string }
  | Limited;

/** `unknown`: there never was such a token. One that ended before counts as revoked. */
export type SignOut = { readonly status: "revoked" | "unknown" } | Limited;

/** Clients that wait until a person agreed. */
export interface NpmLogins {
  /**
   * `scopes`: those that the client asks for besides npm, such as `admin`. `refused`: there are no
   * such scopes; `reason` is a sentence.
   */
  start(
    request: Request,
    env: unknown,
    scopes?: string,
  ): Promise<StartedSession | { readonly status: "refused"; readonly reason: string }>;
  /** State of the session with this secret; clients poll it. */
  poll(secret: string): Promise<SessionOutcome>;
}

/** A started web login, or the reason for a refusal. */
export type StartedSession =
  | {
      readonly status: "started";
      /** Address of the page that a person opens; it shows the code. */
      readonly page: string;
      readonly code: string;
      /** Secret with which the client polls. */
      readonly secret: string;
    }
  /** Too many are waiting already, or the operator wants none of it. */
  | { readonly status: "crowded" | "off" };

/** State of a login or a confirmation that a client polls. */
export type SessionOutcome =
  | { readonly status: "waiting" | "denied" | "ended" }
  /** The token, or what confirms a step up. */
  | { readonly status: "agreed"; readonly secret: string };

/** A token as people see it. */
export type NpmToken = {
  readonly id: string;
  /** The beginning of its value, which opens nothing. */
  readonly prefix: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt?: Date;
  readonly lastUsedAt?: Date;
  readonly permission: NpmPermission;
  /** Name patterns, such as `@acme/*`; empty = all. */
  readonly names: readonly string[];
  /** In CIDR form; empty = all. */
  readonly networks: readonly string[];
};

/** Highest right of a new token. */
export type NpmPermission = "read" | "stage" | "write";

/** Properties of a new token. Absent properties are those of the holder's own token. */
export type NewTokenRequest = {
  readonly name: string;
  /** Absent: all that the holder's own token may, but administer. */
  readonly permission?: NpmPermission;
  /** Absent: as the holder's own token; likewise below. */
  readonly names?: readonly string[];
  readonly networks?: readonly string[];
  readonly expiresAt?: Date;
};

/** The tokens of a holder: that of the request, and those of the same owner. An administrator's
 * are all. */
export interface NpmTokens {
  /** Valid tokens in order of creation. */
  list(holder: Holder): Promise<readonly NpmToken[]>;
  /**
   * Never has more rights than the token of the holder, and does not outlive it. `refused` has the
   * reason.
   */
  create(
    holder: Holder,
    wish: NewTokenRequest,
  ): Promise<
    | { readonly status: "created"; readonly value: string; readonly token: NpmToken }
    | { readonly status: "refused"; readonly reason: string }
  >;
  /** By id, by a beginning of it that no other has, or by value. `refused`: it opens more than the
   * holder's own token does. */
  revoke(holder: Holder, idOrValue: string): Promise<"revoked" | "absent" | "several" | "refused">;
}

/**
 * Actions that require a second step, where the operator configures one: a stolen token alone does
 * not permit them.
 */
export type StepUpAction = "token-create" | "stage-approve" | "stage-reject" | "trust-change";

/** Check of a second step for sensitive actions. */
export interface NpmStepUp {
  /**
   * `password` is the value of `npm-otp`; it is valid once, for one action of one token. Without a
   * configured second step, no password is required.
   */
  check(
    holder: Holder,
    action: StepUpAction,
    password: string | undefined,
  ): Promise<"confirmed" | "wanted">;
  start(
    request: Request,
    env: unknown,
    stepUp: { readonly holder: Holder; readonly action: StepUpAction },
  ): Promise<StartedSession>;
}
