import { defineEntity, p } from "@mikro-orm/core";
import { key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** An API token, never its value. Lists are JSON text. */
export const HostToken = defineEntity({
  name: "HostToken",
  tableName: "host_tokens",
  properties: {
    id: key(36).primary(),
    name: longText(),
    /** Whose it is; null: it stands for itself, and its name is the owner's. */
    owner: key(NAME_LENGTH.actor).nullable().index(),
    /** The token it was made with. */
    parentId: key(36).nullable().index(),
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
  },
});

/** What `docker login` keeps instead of a password: good for bearer tokens of one API token, and
 * gone with it. */
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
    /** What the person types or confirms. */
    code: key(32).unique(),
    /** `login` or `confirm`. */
    purpose: key(32),
    /** What is to be confirmed, and for which token. */
    subject: longText().nullable(),
    /** Where the client asked from. */
    address: key(NAME_LENGTH.address).nullable(),
    createdAt: time(),
    expiresAt: time().index(),
    /** JSON text of what the person agreed to; null until then. Holds no secret: the token is made
     * when the client comes for it. */
    granted: longText().nullable(),
    deniedAt: time().nullable(),
  },
});
