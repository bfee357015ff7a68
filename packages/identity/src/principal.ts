import type { TokenRecord } from "./ports.ts";

/** The authenticated owner of a token. */
export type Principal = {
  readonly tokenId: string;
  /** The token's owner, or the token's own name; the actor of events. */
  readonly name: string;
} & Pick<TokenRecord, "scopes" | "protocols" | "patterns" | "networks" | "expiresAt">;

/** Returns the principal of a stored token. */
export function principalOf(record: TokenRecord): Principal {
  const { id, scopes, protocols, patterns, networks, expiresAt } = record;
  const limits = { scopes, protocols, patterns, networks };
  return { tokenId: id, name: ownerOf(record), ...limits, ...(expiresAt && { expiresAt }) };
}

/** Returns why a stored token is invalid; undefined while it is valid. */
export function endOf(
  token: Pick<TokenRecord, "revokedAt" | "expiresAt">,
  now: Date,
): "revoked" | "expired" | undefined {
  if (token.revokedAt) return "revoked";
  return token.expiresAt && token.expiresAt <= now ? "expired" : undefined;
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

/** Returns the owner's name: that of the token when it has no owner. */
export function ownerOf({ owner, name }: Pick<TokenRecord, "owner" | "name">): string {
  return owner ?? name;
}
