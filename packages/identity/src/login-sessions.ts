import type { Caller } from "@sealhouse/request-types";
import { TokenSettingError } from "./errors.ts";
import type { Scope, TokenRecord } from "./ports.ts";
import { isAdministrative, parseScopes } from "./scope.ts";

/** A session of a command-line client that waits for an operator's approval. */
export type LoginSession = {
  /** Lower-case hex SHA-256 of the secret that the client polls with. */
  readonly pollHash: string;
  /** The code that the operator types, such as `BCDF-2345`. */
  readonly code: string;
  /** `login` results in a token; `confirm` approves an action of an existing token. */
  readonly purpose: LoginPurpose;
  /**
   * For confirmations: the action, and the token that requested it. For sign-ins: the scopes of
   * administrators that the client asks for, such as `admin`; undefined: access to npm.
   */
  readonly subject?: string;
  /** Network address of the client. */
  readonly address?: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Set when the operator approved. */
  readonly grant?: LoginGrant;
  /** Set when the operator denied. */
  readonly deniedAt?: Date;
};

/** Purpose of a session: sign-in, or confirmation of an action. */
export type LoginPurpose = "login" | "confirm";

/**
 * The approval of a session. The token is created when the client fetches it, so that no secret is
 * stored.
 */
export type LoginGrant = {
  readonly by: Caller;
  /** Undefined for a confirmation. */
  readonly token?: GrantedToken;
};

/** Settings of the token that an approval grants. */
export type GrantedToken = Pick<
  TokenRecord,
  "name" | "scopes" | "protocols" | "patterns" | "networks"
> & {
  /** Name of the future owner. */
  readonly owner: string;
  /** The user or service account that the token belongs to. */
  readonly userId?: string;
  readonly serviceAccountId?: string;
  readonly expiresAt?: Date;
};

/** Decision of the operator. */
export type LoginDecision =
  | { readonly status: "agreed"; readonly grant: LoginGrant; readonly until: Date }
  | { readonly status: "denied"; readonly by: Caller };

/** Store of sessions, shared by all instances. */
export interface LoginSessions {
  /** Inserts a session, after deleting those that expired before `createdAt`. */
  insert(session: LoginSession): Promise<void>;
  findByPollHash(pollHash: string): Promise<LoginSession | undefined>;
  findByCode(code: string): Promise<LoginSession | undefined>;
  /**
   * Stores the decision once, with its event. `absent`: no such code. `ended`: already decided or
   * expired. The client may fetch the result until `until`.
   */
  decide(
    code: string,
    decision: LoginDecision,
    time: Date,
  ): Promise<"decided" | "absent" | "ended">;
  /** Deletes a session; true for the one caller that deleted it. */
  take(pollHash: string): Promise<boolean>;
}

/**
 * Parses the scopes with which a client asks to administer: `admin`, or some of its parts.
 *
 * @throws TokenSettingError
 */
export function parseAdministration(text: string): readonly Scope[] {
  const scopes = parseScopes(text);
  const other = scopes.find((scope) => scope !== "admin" && !isAdministrative(scope));
  if (other === undefined) return scopes;
  throw new TokenSettingError("scopes", `"${other}" is not a scope of administrators.`);
}

/** The scopes that the client of a session asks for; undefined: it asks for access to npm. */
export function administrationOf({
  purpose,
  subject,
}: Pick<LoginSession, "purpose" | "subject">): readonly Scope[] | undefined {
  return purpose === "login" && subject !== undefined ? parseAdministration(subject) : undefined;
}
