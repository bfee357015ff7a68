import { scopesWithin } from "./people/role-scopes.ts";
import type { UserState } from "./people/person.ts";
import type { Scope, TokenRecord, TokenUser } from "./ports.ts";

/** The authenticated owner of a token. */
export type Principal = {
  readonly tokenId: string;
  /** The token's owner, or the token's own name; the actor of events. */
  readonly name: string;
  /** The user that the token belongs to; undefined for tokens of the registry's operators. */
  readonly user?: TokenUser;
  /** The service account or publish policy that the token belongs to. */
  readonly serviceAccountId?: string;
  readonly policyId?: string;
  /** Hash of the browser session that is signed in with the token. */
  readonly sessionHash?: string;
  /** The session has confirmed the action of this request. */
  readonly isConfirmed?: boolean;
} & Pick<TokenRecord, "scopes" | "protocols" | "patterns" | "networks" | "expiresAt">;

/** A person whose browser session makes the request. The role decides. */
export type SessionPrincipal = {
  readonly kind: "session";
  /** The handle; the actor of events. */
  readonly name: string;
  readonly user: TokenUser;
  /** The session has confirmed the action of this request. */
  readonly isConfirmed?: boolean;
  readonly sessionHash?: string;
};

/** Who makes a request: with a token, or as a user with a session. */
export type Requester = Principal | SessionPrincipal;

/**
 * Returns the id of the user, service account or publish policy that a caller acts for; undefined
 * for tokens of the operators.
 */
export function holderOf(requester: Requester): string | undefined {
  if (requester.user) return requester.user.id;
  if ("kind" in requester) return undefined;
  return requester.serviceAccountId ?? requester.policyId;
}

/** Returns the principal of a stored token, with the scopes that its user may have now. */
export function principalOf(record: TokenRecord): Principal {
  const { id, protocols, patterns, networks, expiresAt } = record;
  const { user, serviceAccountId, policyId } = record;
  const scopes = user ? scopesWithin(user.role, record.scopes) : record.scopes;
  return {
    tokenId: id,
    name: ownerOf(record),
    scopes,
    protocols,
    patterns,
    networks,
    ...(expiresAt && { expiresAt }),
    ...(user && { user }),
    ...(serviceAccountId !== undefined && { serviceAccountId }),
    ...(policyId !== undefined && { policyId }),
  };
}

/** Why a token is invalid; also by the state of its user or service account. */
export type TokenEnd = "revoked" | "expired" | Exclude<UserState, "active">;

/** Returns why a stored token is invalid; undefined while it is valid. */
export function endOf(
  token: Pick<TokenRecord, "revokedAt" | "expiresAt" | "user" | "serviceAccount">,
  now: Date,
): TokenEnd | undefined {
  if (token.revokedAt) return "revoked";
  if (token.expiresAt && token.expiresAt <= now) return "expired";
  const state = token.user?.state ?? token.serviceAccount?.state ?? "active";
  return state === "active" ? undefined : state;
}

/**
 * Whether a token is limited to names or networks, as those of build jobs are. The tokens of `npm
 * login` are for one protocol, and their users manage packages.
 */
export function isNarrow({
  patterns,
  networks,
}: Pick<TokenRecord, "patterns" | "networks">): boolean {
  return patterns.length > 0 || networks.length > 0;
}

/** Whether a requester may use a scope, apart from limits of names and networks. */
export function mayUseScope(requester: Requester, scope: Scope): boolean {
  const isUser = "kind" in requester;
  const scopes = isUser ? scopesWithin(requester.user.role, [scope]) : requester.scopes;
  return scopes.includes(scope);
}

/** Returns the owner's name: that of the token when it has no owner. */
export function ownerOf({ owner, name }: Pick<TokenRecord, "owner" | "name">): string {
  return owner ?? name;
}
