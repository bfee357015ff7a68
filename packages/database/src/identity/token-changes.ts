import type { ChangedBy, TokenRecord } from "@sealhouse/identity";
import { HostToken } from "../entities/identity.ts";
import { storableText } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";

/** Inserts the token with its event: one transaction over both contexts. */
export function insertToken(changes: Changes, token: TokenRecord, by: ChangedBy): Promise<void> {
  return changes.transaction(async (unit) => {
    const { id, scopes, protocols, patterns, networks, expiresAt } = token;
    if ((await unit.identity.count(HostToken, { id })) > 0) {
      throw new Error(`A token with the id ${id} exists already.`);
    }
    await unit.identity.insert(HostToken, {
      ...token,
      name: storableText(token.name),
      scopes: JSON.stringify(scopes),
      protocols: JSON.stringify(protocols),
      patterns: JSON.stringify(patterns),
      networks: JSON.stringify(networks),
    });
    await changes.event(unit, {
      type: "token.created",
      subject: `token/${id}`,
      caller: by,
      detail: {
        name: token.name,
        scopes,
        protocols,
        patterns,
        networks,
        ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      },
    });
  });
}

export function revokeToken(
  changes: Changes,
  wanted: { readonly id: string; readonly at: Date },
  by: ChangedBy,
): Promise<"revoked" | "unchanged" | "absent"> {
  const { id, at } = wanted;
  return changes.transaction(async (unit) => {
    const open = { id, revokedAt: null };
    const revoked = await unit.identity.nativeUpdate(HostToken, open, { revokedAt: at });
    if (revoked === 0) {
      return (await unit.identity.count(HostToken, { id })) > 0 ? "unchanged" : "absent";
    }
    await changes.event(unit, { type: "token.revoked", subject: `token/${id}`, caller: by });
    return "revoked";
  });
}
