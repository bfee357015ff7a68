import type { TokenRecord } from "./ports.ts";

/** Who asks, as far as a token proves it. */
export type Principal = {
  readonly tokenId: string;
  /** The token's owner, or its name when it stands for itself: the actor of events. */
  readonly name: string;
} & Pick<TokenRecord, "scopes" | "protocols" | "patterns" | "networks" | "expiresAt">;

export function principalOf(record: TokenRecord): Principal {
  const { id, scopes, protocols, patterns, networks, expiresAt } = record;
  const limits = { scopes, protocols, patterns, networks };
  return { tokenId: id, name: ownerOf(record), ...limits, ...(expiresAt && { expiresAt }) };
}

/** Why a stored token no longer opens anything; undefined while it does. */
export function endOf(
  token: Pick<TokenRecord, "revokedAt" | "expiresAt">,
  now: Date,
): "revoked" | "expired" | undefined {
  if (token.revokedAt) return "revoked";
  return token.expiresAt && token.expiresAt <= now ? "expired" : undefined;
}

/** Whom a token stands for. */
export function ownerOf({ owner, name }: Pick<TokenRecord, "owner" | "name">): string {
  return owner ?? name;
}
