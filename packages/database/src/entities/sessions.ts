import { defineEntity, p } from "@mikro-orm/core";
import { big, bytes, key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** A browser that is signed in: as a user, or with an API token. */
export const HostSession = defineEntity({
  name: "HostSession",
  tableName: "host_sessions",
  properties: {
    /** Lower-case hex of the SHA-256 of the cookie's secret. */
    hash: key(64).primary(),
    /** The hash before the last rotation, which is accepted until `previousEndsAt`. */
    previousHash: key(64).nullable().index(),
    previousEndsAt: time().nullable(),
    userId: key(36).nullable().index(),
    tokenId: key(36).nullable().index(),
    /** The user's epoch at sign-in. */
    epoch: p.integer(),
    createdAt: time(),
    rotatedAt: time(),
    seenAt: time(),
    idleEndsAt: time(),
    endsAt: time().index(),
    address: key(NAME_LENGTH.address).nullable(),
    agent: longText().nullable(),
  },
});

/** A passkey of a user. */
export const HostPasskey = defineEntity({
  name: "HostPasskey",
  tableName: "host_passkeys",
  properties: {
    /** Lower-case hex of the SHA-256 of the credential id. */
    credentialHash: key(64).primary(),
    credentialId: longText(),
    userId: key(36).index(),
    /** The host name that it belongs to. */
    rpId: key(255),
    publicKey: bytes(),
    counter: big(),
    backedUp: p.boolean(),
    /** JSON array. */
    transports: longText(),
    name: longText(),
    createdAt: time(),
    usedAt: time().nullable(),
  },
});

/** A random text that a passkey must sign, for one action. */
export const HostChallenge = defineEntity({
  name: "HostChallenge",
  tableName: "host_challenges",
  properties: {
    /** Lower-case hex of its SHA-256. */
    hash: key(64).primary(),
    sessionHash: key(64),
    userId: key(36),
    purpose: key(32),
    subject: longText().nullable(),
    createdAt: time(),
    expiresAt: time().index(),
  },
});

/** The form of a lasting action that a session must confirm. */
export const HostConfirmation = defineEntity({
  name: "HostConfirmation",
  tableName: "host_confirmations",
  properties: {
    /** Lower-case hex of the SHA-256 of its id. */
    hash: key(64).primary(),
    sessionHash: key(64).index(),
    action: key(32),
    subject: longText(),
    /** Path that the form was sent to, and path of the page that offers it. */
    path: longText(),
    backPath: longText(),
    /** The fields, encrypted with the key ring. */
    sealedForm: bytes(),
    createdAt: time(),
    expiresAt: time().index(),
    /** When the person signed in again for it. */
    confirmedAt: time().nullable(),
  },
});
