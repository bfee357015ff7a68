import type { Caller, PackageVerdict } from "@sealhouse/request-types";

/** Who asks, as far as a token proves it. `actor` is the name of the token's owner. */
export type Holder = Caller & { readonly tokenId: string };

export type Identified =
  | { readonly status: "known"; readonly holder: Holder }
  | Exclude<PackageVerdict, { readonly status: "granted" }>;

/** Signing in and out. Whoever a token stands for has an account; nobody registers. */
export interface NpmAccounts {
  /** Whoever sent the request, whatever the token's scopes are. */
  identify(request: Request, env: unknown): Promise<Identified>;
  /** Somebody who has a token, or had one; names compare byte by byte. */
  user(name: string): Promise<NpmUser | undefined>;
  /** A token is the only password there is. Gives a new one that opens the same and ends with it
   * at the latest; the request's own credentials do not matter. */
  signIn(request: Request, env: unknown, asked: SignInAsked): Promise<SignIn>;
  /** Ends a token for good. Whoever has it may do so; the request's credentials do not matter. */
  signOut(request: Request, env: unknown, token: string): Promise<SignOut>;
  readonly logins: NpmLogins;
  readonly tokens: NpmTokens;
  readonly stepUp: NpmStepUp;
}

export type NpmUser = { readonly name: string; readonly createdAt: Date };

export type Limited = { readonly status: "limited"; readonly retryAfterSeconds: number };

export type SignInAsked = {
  readonly password: string;
  /** Asked before a token is made, with whom the password stands for; rejects when somebody has to
   * agree first. */
  readonly confirm: (holder: Holder) => Promise<void>;
};

export type SignIn =
  | { readonly status: "signed-in"; readonly token: string; readonly name: string }
  /** `reason` is a sentence for whoever typed the password. */
  | { readonly status: "refused"; readonly reason: string }
  | Limited;

/** `unknown`: there never was such a token. One that ended before counts as revoked. */
export type SignOut = { readonly status: "revoked" | "unknown" } | Limited;

/** Clients that wait until a person agreed. */
export interface NpmLogins {
  start(request: Request, env: unknown): Promise<StartedSession>;
  /** What became of the session with this secret; asked again and again. */
  poll(secret: string): Promise<SessionOutcome>;
}

export type StartedSession =
  | {
      readonly status: "started";
      /** What a person opens; shows the code. */
      readonly page: string;
      readonly code: string;
      /** What the client asks with. */
      readonly secret: string;
    }
  /** Too many are waiting already, or the operator wants none of it. */
  | { readonly status: "crowded" | "off" };

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

export type NpmPermission = "read" | "stage" | "write";

export type TokenWish = {
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
  /** Those that are valid, in order of creation. */
  list(holder: Holder): Promise<readonly NpmToken[]>;
  /** Never opens more than the holder's own token, and does not outlive it. `refused` says why. */
  create(
    holder: Holder,
    wish: TokenWish,
  ): Promise<
    | { readonly status: "created"; readonly value: string; readonly token: NpmToken }
    | { readonly status: "refused"; readonly reason: string }
  >;
  /** By id, by a beginning of it that no other has, or by value. `refused`: it opens more than the
   * holder's own token does. */
  revoke(holder: Holder, idOrValue: string): Promise<"revoked" | "absent" | "several" | "refused">;
}

/** What a stolen token alone must not be enough for, where the operator wants that. */
export type StepUpAction = "token-create" | "stage-approve" | "stage-reject" | "trust-change";

export interface NpmStepUp {
  /** `password` is what came as `npm-otp`; it is good once, for one action of one token. Nothing is
   * wanted where the operator asks for no second step. */
  check(
    holder: Holder,
    action: StepUpAction,
    password: string | undefined,
  ): Promise<"confirmed" | "wanted">;
  start(
    request: Request,
    env: unknown,
    wanted: { readonly holder: Holder; readonly action: StepUpAction },
  ): Promise<StartedSession>;
}
