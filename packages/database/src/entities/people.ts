import { defineEntity, p } from "@mikro-orm/core";
import { bytes, key, longText, time } from "./columns.ts";

/** Handles of users and teams, which share one namespace and are never given to another owner. */
export const OwnerName = defineEntity({
  name: "OwnerName",
  tableName: "host_owner_names",
  properties: {
    /** Lower case. */
    name: key(39).primary(),
    /** `user` or `team`. */
    kind: key(16),
    ownerId: key(36).index(),
    createdAt: time(),
  },
});

/** A person who may sign in. */
export const HostUser = defineEntity({
  name: "HostUser",
  tableName: "host_users",
  indexes: [{ properties: ["state", "validatedAt"] }],
  properties: {
    id: key(36).primary(),
    handle: key(39).unique(),
    displayName: longText(),
    /** Shown and mailed to; never decides about access. */
    email: longText().nullable(),
    /** `consumer`, `publisher` or `administrator`. */
    role: key(16),
    /** `hand`, or `group` when the groups of the provider decide. */
    roleSource: key(16),
    /** `pending`, `active`, `suspended` or `blocked`. */
    state: key(16),
    /** Why the state is not `active`; a sentence. */
    reason: longText().nullable(),
    /** The state before `blocked`. */
    blockedFrom: key(16).nullable(),
    /** A higher number ends all sessions that have a lower one. */
    epoch: p.integer(),
    createdAt: time(),
    /** When the provider last confirmed the membership. */
    validatedAt: time().nullable(),
    lastSignInAt: time().nullable(),
    /** Whether the last sign-in had a second factor: `yes` or `no`; null when it is unknown. */
    secondFactor: key(16).nullable(),
  },
});

/** An account at an identity provider. */
export const ExternalIdentity = defineEntity({
  name: "ExternalIdentity",
  tableName: "host_external_identities",
  indexes: [{ properties: ["checkedAt"] }],
  properties: {
    issuer: key(160).primary(),
    /** The provider's number or id, which never changes. */
    subject: key(255).primary(),
    userId: key(36).index(),
    /** The provider's name of the account, for people. */
    shown: longText(),
    /** A secret that asks the provider again, encrypted with the key ring. */
    sealedGrant: bytes().nullable(),
    /** Outcome of the last check: `member`, `gone` or `unknown`. */
    outcome: key(16),
    checkedAt: time(),
    /** An instance that checks holds the row until then. */
    claimedUntil: time().nullable(),
  },
});

/** Users that own names together. */
export const HostTeam = defineEntity({
  name: "HostTeam",
  tableName: "host_teams",
  properties: {
    id: key(36).primary(),
    handle: key(39).unique(),
    displayName: longText(),
    /** Group of the identity provider whose members belong to the team. */
    groupRef: key(255).nullable(),
    createdAt: time(),
  },
});

/** A user in a team. */
export const TeamMember = defineEntity({
  name: "TeamMember",
  tableName: "host_team_members",
  properties: {
    teamId: key(36).primary(),
    userId: key(36).primary().index(),
    /** `member` or `manager`. */
    level: key(16),
    /** `hand` or `group`. */
    source: key(16),
    createdAt: time(),
  },
});

/** A caller such as a build server, which owns names through its team. */
export const ServiceAccount = defineEntity({
  name: "ServiceAccount",
  tableName: "host_service_accounts",
  properties: {
    id: key(36).primary(),
    name: key(64).unique(),
    teamId: key(36).nullable().index(),
    /** `active` or `blocked`. */
    state: key(16),
    createdAt: time(),
  },
});
