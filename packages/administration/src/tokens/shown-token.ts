import { PROTOCOLS, SCOPES, TOKEN_STATES } from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import { z } from "zod";

export const TOKEN = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    state: z.enum(TOKEN_STATES),
    scopes: z.array(z.enum(SCOPES)),
    protocols: z.array(z.enum(PROTOCOLS)).describe("Empty: all."),
    patterns: z.array(z.string()).describe("Patterns of names. Empty: all."),
    networks: z.array(z.string()).describe("Empty: all."),
    owner: z.string().optional(),
    holder: z.string().optional().describe("user, service account or policy, and its name."),
    userId: z.string().optional(),
    serviceAccountId: z.string().optional(),
    policyId: z.string().optional(),
    parentId: z.string().optional().describe("The token that created it."),
    replaces: z.string().optional().describe("The token that it replaces."),
    prefix: z.string().describe("The beginning of the token, which is not secret."),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional().describe("Absent: never."),
    revokedAt: z.iso.datetime().optional(),
    lastUsedAt: z.iso.datetime().optional(),
    lastUsedFrom: z.string().optional(),
    leakedAt: z.iso.datetime().optional().describe("When a secret scanner reported it."),
  })
  .meta({ id: "Token", title: "An API token, without its value" });

/** A token as the API and commands show it. */
export type ShownToken = z.output<typeof TOKEN>;

/** A new token with its value, which is shown once. */
export const NEW_TOKEN = TOKEN.extend({
  token: z.string().describe("The value. It is not shown again."),
}).meta({ id: "NewToken", title: "A new API token" });

/** A new token with its value, which is shown once. */
export type ShownNewToken = z.output<typeof NEW_TOKEN>;

/** Returns everything but the hash. */
export function shownToken(record: TokenRecord, now: Date): ShownToken {
  const { hash: _hash, scheme: _scheme, createdAt, expiresAt, revokedAt, ...rest } = record;
  const { lastUsedAt, leakedAt, user: _user, serviceAccount: _account, ...shown } = rest;
  const { scopes, protocols, patterns, networks } = record;
  const holder = holderText(record);
  return {
    ...shown,
    scopes: [...scopes],
    protocols: [...protocols],
    patterns: [...patterns],
    networks: [...networks],
    ...(holder !== undefined && { holder }),
    state: revokedAt ? "revoked" : expiresAt && expiresAt <= now ? "expired" : "active",
    createdAt: createdAt.toISOString(),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
    ...(leakedAt && { leakedAt: leakedAt.toISOString() }),
  };
}

function holderText(record: TokenRecord): string | undefined {
  const { owner, userId, serviceAccountId, policyId, user, serviceAccount } = record;
  if (policyId !== undefined) return `policy ${policyId}`;
  if (userId !== undefined) return `user ${user?.handle ?? owner ?? userId}`;
  if (serviceAccountId === undefined) return undefined;
  return `service account ${serviceAccount?.name ?? owner ?? serviceAccountId}`;
}
