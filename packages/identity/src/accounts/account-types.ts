import type { Caller, Protocol } from "@sealhouse/request-types";
import type { Authenticator } from "../authenticator.ts";
import type { TokenMaking } from "../create-token.ts";
import type { LoginOutcome } from "../login-flow.ts";
import type { LoginSessions } from "../login-sessions.ts";
import type { SignInFailures, TokenAdministration, TokenLookup } from "../ports.ts";
import type { RequestOrigins } from "../requests/identification.ts";

/** The owner of the token in a request. `actor` is the owner's name. */
export type AccountHolder = Caller & { readonly tokenId: string };

/** Outcome of identifying the holder of a request's token. */
export type AccountIdentified =
  | { readonly status: "known"; readonly holder: AccountHolder }
  | { readonly status: "anonymous"; readonly reason?: string }
  | { readonly status: "denied"; readonly reason: string }
  | RateLimited;

/** Refusal after too many failed attempts, with the seconds to wait. */
export type RateLimited = { readonly status: "limited"; readonly retryAfterSeconds: number };

/** Permission of a new account token: the strongest scope that it contains. */
export type AccountPermission = "read" | "stage" | "write";

/** A token without its secret. */
export type AccountToken = {
  /** UUID without dashes: npm hides texts that look like a UUID. */
  readonly id: string;
  readonly prefix: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt?: Date;
  readonly lastUsedAt?: Date;
  readonly permission: AccountPermission;
  /** Name patterns; empty = all. */
  readonly names: readonly string[];
  /** In CIDR form; empty = all. */
  readonly networks: readonly string[];
};

/** Undefined limits are those of the holder's token. */
export type NewAccountToken = {
  readonly name: string;
  /** Undefined: every permission of the holder's token except administration. */
  readonly permission?: AccountPermission;
  readonly names?: readonly string[];
  readonly networks?: readonly string[];
  readonly expiresAt?: Date;
};

/** Outcome of starting a web sign-in. */
export type AccountSession =
  | {
      readonly status: "started";
      /** URL of the page that shows the code. */
      readonly page: string;
      readonly code: string;
      /** The client polls with it. */
      readonly secret: string;
    }
  /** The network or token started too many, or the operator disabled web sign-in. */
  | { readonly status: "crowded" | "off" };

/** Tokens as the accounts of a protocol. Matches `NpmAccounts` of the npm package. */
export type TokenAccounts = {
  identify(request: Request, env: unknown): Promise<AccountIdentified>;
  user(name: string): Promise<{ readonly name: string; readonly createdAt: Date } | undefined>;
  signIn(
    request: Request,
    env: unknown,
    attempt: {
      readonly password: string;
      readonly confirm: (holder: AccountHolder) => Promise<void>;
    },
  ): Promise<
    | { readonly status: "signed-in"; readonly token: string; readonly name: string }
    | { readonly status: "refused"; readonly reason: string }
    | RateLimited
  >;
  signOut(
    request: Request,
    env: unknown,
    token: string,
  ): Promise<{ readonly status: "revoked" | "unknown" } | RateLimited>;
  readonly logins: {
    /** `scopes`: those with which the client asks to administer, such as `admin`. */
    start(
      request: Request,
      env: unknown,
      scopes?: string,
    ): Promise<AccountSession | { readonly status: "refused"; readonly reason: string }>;
    poll(secret: string): Promise<LoginOutcome>;
  };
  readonly tokens: AccountTokens;
  readonly stepUp: AccountStepUp;
};

/**
 * The tokens that a holder sees: its own and its owner's. An administrator also sees those that its
 * own token covers.
 */
export type AccountTokens = {
  list(holder: AccountHolder): Promise<readonly AccountToken[]>;
  create(
    holder: AccountHolder,
    newToken: NewAccountToken,
  ): Promise<
    | { readonly status: "created"; readonly value: string; readonly token: AccountToken }
    | { readonly status: "refused"; readonly reason: string }
  >;
  /** Accepts an id, a unique beginning of one, or a token's value. */
  revoke(
    holder: AccountHolder,
    idOrValue: string,
  ): Promise<"revoked" | "absent" | "several" | "refused">;
};

/** The second step for actions that a stolen token alone must not allow. */
export type AccountStepUp = {
  check(
    holder: AccountHolder,
    action: string,
    password: string | undefined,
  ): Promise<"confirmed" | "wanted">;
  start(
    request: Request,
    env: unknown,
    confirmation: { readonly holder: AccountHolder; readonly action: string },
  ): Promise<AccountSession>;
};

/** Dependencies and settings of `createTokenAccounts`. */
export type AccountOptions = Pick<TokenMaking, "pepper" | "random"> & {
  readonly protocol: Protocol;
  readonly tokens: TokenLookup & TokenAdministration;
  readonly sessions: LoginSessions;
  /** Counts started sign-ins at all instances; undefined when one process serves the feed. */
  readonly failures?: SignInFailures | undefined;
  readonly authenticator: Pick<Authenticator, "authenticate">;
  readonly contexts: RequestOrigins;
  readonly now: () => Date;
  /** Accepts sign-in on a web page. */
  readonly webLogin: boolean;
  /** Requires a second step. */
  readonly stepUp: boolean;
  /** Returns the URL of the page that shows a code. */
  readonly signInPage: (request: Request, env: unknown, code: string) => string;
};
