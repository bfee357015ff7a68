import type { TokenRecord } from "@sealhouse/identity";
import { printableLine } from "../printable.ts";

/** A user or service account that tokens belong to. */
export type ShownHolder = {
  readonly kind: "user" | "service account";
  /** UUID. */
  readonly id: string;
  /** Handle of a user, or name of a service account. */
  readonly name: string;
};

/** A token as commands print it. It has no hash. */
export type ShownToken = ReturnType<typeof shownToken>;

/** Returns everything but the hash. */
export function shownToken(record: TokenRecord, now: Date, holders: readonly ShownHolder[] = []) {
  const { hash: _hash, scheme: _scheme, createdAt, expiresAt, revokedAt, ...rest } = record;
  const { lastUsedAt, leakedAt, user: _user, serviceAccount: _account, ...shown } = rest;
  const expired = expiresAt !== undefined && expiresAt <= now;
  const holder = holderOf(record, holders);
  return {
    ...shown,
    ...(holder !== undefined && { holder }),
    state: revokedAt ? "revoked" : expired ? "expired" : "active",
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString(),
    revokedAt: revokedAt?.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString(),
    leakedAt: leakedAt?.toISOString(),
  };
}

/** Returns one line: id, state, scopes, name, expiry, last use, and what else is known. */
export function lineOfToken(token: ShownToken): string {
  const { id, state, scopes, name, expiresAt, lastUsedAt, lastUsedFrom } = token;
  const { owner, holder, replaces, leakedAt } = token;
  const from = lastUsedFrom === undefined ? "" : ` from ${lastUsedFrom}`;
  const facts = [
    expiresAt === undefined ? "never expires" : `expires ${expiresAt.slice(0, 10)}`,
    lastUsedAt === undefined ? "never used" : `last used ${lastUsedAt}${from}`,
    owner === undefined ? undefined : `owner ${owner}`,
    holder,
    replaces === undefined ? undefined : `replaces ${replaces}`,
    leakedAt === undefined ? undefined : `leaked ${leakedAt.slice(0, 10)}`,
  ].filter((fact) => fact !== undefined);
  return printableLine([id, state, scopes.join(","), name, ...facts].join("  "));
}

function holderOf(
  { userId, serviceAccountId, policyId }: TokenRecord,
  holders: readonly ShownHolder[],
): string | undefined {
  if (policyId !== undefined) return `policy ${policyId}`;
  const id = userId ?? serviceAccountId;
  if (id === undefined) return undefined;
  const { kind, name } = holders.find((holder) => holder.id === id) ?? {
    kind: userId === undefined ? "service account" : "user",
    name: id,
  };
  return `${kind} ${name}`;
}
