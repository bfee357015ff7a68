import { defineEntity, p } from "@mikro-orm/core";
import { bytes, key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** An API token, never its value. Lists are JSON text. */
export const HostToken = defineEntity({
  name: "HostToken",
  tableName: "host_tokens",
  properties: {
    id: key(36).primary(),
    name: longText(),
    /** Whose it is, when it was made by the holder of another token; null: it stands for itself. */
    owner: key(NAME_LENGTH.actor).nullable(),
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

/** A sign-in from a command line that waits for a person. */
export const LoginSession = defineEntity({
  name: "LoginSession",
  tableName: "host_login_sessions",
  properties: {
    /** Lower-case hex of the SHA-256 of the secret that the client polls with. */
    pollHash: key(64).primary(),
    /** What the person types or confirms. */
    code: key(32).unique(),
    /** `login`, or what is to be confirmed. */
    purpose: key(32),
    createdAt: time(),
    expiresAt: time().index(),
    /** The token for the client, protected with the key ring; null until the person agreed. */
    sealedToken: bytes().nullable(),
    deniedAt: time().nullable(),
  },
});
