import { defineEntity, p } from "@mikro-orm/core";
import { big, key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** An API token, never its value. Lists are JSON text. */
export const HostToken = defineEntity({
  name: "HostToken",
  tableName: "host_tokens",
  indexes: [{ properties: ["createdAt", "id"] }],
  properties: {
    id: key(36).primary(),
    name: longText(),
    /** Name of the owner; null when the token's own name is the owner. */
    owner: key(NAME_LENGTH.actor).nullable().index(),
    /** Id of the token that created it. */
    parentId: key(36).nullable().index(),
    /** The user, service account or publish policy that it belongs to; at most one. */
    userId: key(36).nullable().index(),
    serviceAccountId: key(36).nullable().index(),
    policyId: key(36).nullable().index(),
    prefix: key(16).index(),
    hash: key(64),
    scheme: p.integer(),
    scopes: longText(),
    protocols: longText(),
    patterns: longText(),
    networks: longText(),
    createdAt: time(),
    expiresAt: time().nullable(),
    revokedAt: time().nullable(),
    lastUsedAt: time().nullable(),
    lastUsedFrom: key(NAME_LENGTH.address).nullable(),
    /** Id of the token that it replaces. */
    replaces: key(36).nullable(),
    /** When a secret scanner reported it. */
    leakedAt: time().nullable(),
    /** Days before the expiry of the last notice that was sent; 0 = at the expiry. */
    noticedDays: p.integer().nullable(),
  },
});

/**
 * Refresh tokens, which `docker login` stores instead of a password. Each is valid for bearer
 * tokens of one API token, and is deleted with it.
 */
export const RefreshToken = defineEntity({
  name: "RefreshToken",
  tableName: "host_refresh_tokens",
  properties: {
    /** Lower-case hex of the SHA-256 of the secret. */
    hash: key(64).primary(),
    tokenId: key(36).index(),
    /** The client's name for itself (`docker`). */
    client: key(NAME_LENGTH.actor),
    createdAt: time(),
    expiresAt: time().index(),
    lastUsedAt: time().nullable(),
  },
});

/** A sign-in from a command line that waits for a person. */
export const LoginSession = defineEntity({
  name: "LoginSession",
  tableName: "host_login_sessions",
  properties: {
    /** Lower-case hex of the SHA-256 of the secret that the client polls with. */
    pollHash: key(64).primary(),
    /** The code that the operator types. */
    code: key(32).unique(),
    /** `login` or `confirm`. */
    purpose: key(32),
    /** The action to confirm, and the token that requested it. */
    subject: longText().nullable(),
    /** Where the client asked from. */
    address: key(NAME_LENGTH.address).nullable(),
    createdAt: time(),
    expiresAt: time().index(),
    /**
     * JSON text of the approval; null until then. Contains no secret, because the token is created
     * when the client fetches it.
     */
    granted: longText().nullable(),
    deniedAt: time().nullable(),
  },
});

/** Failed sign-ins of a network address at all instances. */
export const SignInFailure = defineEntity({
  name: "SignInFailure",
  tableName: "host_sign_in_failures",
  properties: {
    address: key(NAME_LENGTH.address).primary(),
    /** When no failure counts any longer, in milliseconds since 1970. */
    emptyMs: big().index(),
  },
});
