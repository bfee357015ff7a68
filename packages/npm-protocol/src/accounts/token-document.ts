import type { NpmToken } from "./ports.ts";

const ACTIONS = { read: "read", stage: "stage", write: "write" } as const;

/** A token in the words of the protocol. `token` is the beginning of its value. */
export function tokenDocument(token: NpmToken) {
  const { id, prefix, name, createdAt, expiresAt, lastUsedAt, permission } = token;
  const { names, networks } = token;
  const expiry = expiresAt?.toISOString() ?? null;
  return {
    key: id,
    token: prefix,
    name,
    created: createdAt.toISOString(),
    updated: createdAt.toISOString(),
    accessed: lastUsedAt?.toISOString() ?? null,
    expiry,
    expires: expiry,
    readonly: permission === "read",
    cidr_whitelist: networks.length > 0 ? networks : null,
    bypass_2fa: false,
    permissions: [{ name: "package", action: ACTIONS[permission] }],
    scopes: names.map((pattern) => ({
      type: /^@[^*]+\/\*$/.test(pattern) ? "scope" : "package",
      name: pattern.replace(/\/\*$/, ""),
    })),
  };
}
