import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { bytes, key, longText, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** A registry that packages are published to. */
export const StoredTarget = defineEntity({
  name: "StoredTarget",
  tableName: "publish_targets",
  properties: {
    /** Lower case. */
    key: key(64).primary(),
    name: key(64),
    protocol: key(NAME_LENGTH.protocol),
    endpoint: longText(),
    /** JSON, encrypted with the key ring. */
    credentials: bytes().nullable(),
    expiresAt: time().nullable(),
    pausedAt: time().nullable(),
    pauseReason: longText().nullable(),
    /** When a release last succeeded at this endpoint. */
    lastSuccessAt: time().nullable(),
    /** JSON of the options that differ from the defaults. */
    options: longText(),
    changedAt: time(),
  },
});

/** Packages that are released together. */
export const StoredGroup = defineEntity({
  name: "StoredGroup",
  tableName: "package_groups",
  properties: {
    /** Lower case. */
    key: key(64).primary(),
    name: key(64),
    /** JSON of the members and the names of the targets. */
    definition: longText(),
    changedAt: time(),
  },
});

/** Publishes automatically after an upload. */
export const StoredSyndication = defineEntity({
  name: "StoredSyndication",
  tableName: "syndications",
  properties: {
    /** Lower case. */
    key: key(64).primary(),
    name: key(64),
    /** JSON of what is published, where, and the filter. */
    definition: longText(),
    enabled: p.boolean(),
    changedAt: time(),
  },
});

/** Versions that go to targets together. */
export const StoredRelease = defineEntity({
  name: "StoredRelease",
  tableName: "releases",
  indexes: [
    { properties: ["groupKey", "number"] },
    { properties: ["endedAt", "createdAt"] },
    { properties: ["lane", "endedAt"] },
  ],
  properties: {
    id: key(36).primary(),
    /** Counts the releases of its group. */
    number: p.integer(),
    /** Lower case. */
    groupKey: key(64),
    groupName: key(64),
    kind: key(16),
    state: key(16),
    /** Repeated requests find the release of the first. */
    requestKey: key(128).unique(),
    /** The group while the release runs, then its id: one release of a group runs at a time. */
    activeKey: key(128).unique(),
    /** Releases with one lane run one after the other. */
    lane: key(64),
    /** JSON. */
    targets: longText(),
    actor: longText(),
    tokenId: key(NAME_LENGTH.tokenId).nullable(),
    createdAt: time(),
    frozenAt: time().nullable(),
    pivotAt: time().nullable(),
    attemptsSince: time(),
    endedAt: time().nullable(),
    nextAt: time().nullable(),
    reason: longText().nullable(),
    /** JSON of the signed statement. */
    statement: longText().nullable(),
    /** SHA-256 of the statement, hex. */
    statementDigest: key(64).nullable(),
    /** JSON of the signed statement about the end. */
    outcome: longText().nullable(),
  },
});

/** A member of a release at one target. */
export const ReleaseItem = defineEntity({
  name: "ReleaseItem",
  tableName: "release_items",
  indexes: [{ properties: ["releaseId"] }],
  properties: {
    id: key(64).primary(),
    releaseId: key(36),
    position: p.integer(),
    target: key(64),
    /** JSON; frozen. */
    member: longText(),
    state: key(24),
    /** JSON of what the target had. */
    foundBefore: longText().nullable(),
    wasThere: p.boolean(),
    attempts: p.integer(),
    nextAt: time().nullable(),
    pendingSince: time().nullable(),
    stageId: key(255).nullable(),
    note: longText().nullable(),
    /** JSON of the digests that the target serves. */
    served: longText().nullable(),
  },
});

/** A key that a pipeline lent to a release, or one that it was exchanged for. */
export const LentKey = defineEntity({
  name: "LentKey",
  tableName: "lent_keys",
  properties: {
    releaseId: key(36).primary(),
    /** Lower case. */
    target: key(64).primary(),
    /** Name of the package that the key is for; empty: what the pipeline lent. */
    name: key(255).primary(),
    /** Encrypted with the key ring. */
    sealed: bytes(),
    expiresAt: time(),
  },
});

/** Content of a frozen version, which stays until its release ends. */
export const HeldContent = defineEntity({
  name: "HeldContent",
  tableName: "held_contents",
  indexes: [
    { properties: ["blob"] },
    { properties: ["releaseId"] },
    { name: "held_contents_item", properties: ["protocol", "name", "item"] },
  ],
  properties: {
    id: rowId(),
    releaseId: key(36),
    protocol: key(NAME_LENGTH.protocol),
    /** As in the history. */
    name: key(255),
    item: key(256),
    /** JSON text of the version's data except its blob, in the format of its protocol. */
    content: longText(),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
  },
});

/** A package at a target that one running release publishes. */
export const ReleaseLane = defineEntity({
  name: "ReleaseLane",
  tableName: "release_lanes",
  indexes: [{ properties: ["releaseId"] }],
  properties: {
    /** SHA-256 of the target, the protocol and the name, hex. */
    place: key(64).primary(),
    releaseId: key(36),
  },
});

/** A manifest that a release completed at a target. */
export const CompletedManifest = defineEntity({
  name: "CompletedManifest",
  tableName: "completed_manifests",
  properties: {
    /** SHA-256 of the endpoint and the repository, hex. */
    place: key(64).primary(),
    digest: key(NAME_LENGTH.digest).primary(),
    completedAt: time(),
  },
});
