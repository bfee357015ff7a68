import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { big, bytes, key, longText, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

const REPOSITORY_LENGTH = 255;

export const OciRepository = defineEntity({
  name: "OciRepository",
  tableName: "oci_repositories",
  properties: {
    id: rowId(),
    name: key(REPOSITORY_LENGTH).unique(),
    createdAt: time(),
    pulls: big(),
  },
});

/** Makes a blob visible in a repository. */
export const OciBlobLink = defineEntity({
  name: "OciBlobLink",
  tableName: "oci_repository_blobs",
  indexes: [{ properties: ["blob"] }, { properties: ["repository", "linkedAt"] }],
  properties: {
    repository: () => p.manyToOne(OciRepository).mapToPk().primary().deleteRule("restrict"),
    blob: () => p.manyToOne(Blob).mapToPk().primary().deleteRule("restrict"),
    /** Time when the link was created, or last used for a positive answer (rule R1). */
    linkedAt: time(),
  },
});

export const OciManifest = defineEntity({
  name: "OciManifest",
  tableName: "oci_manifests",
  uniques: [{ properties: ["repository", "digest"] }],
  indexes: [{ properties: ["repository", "subject", "id"] }],
  properties: {
    id: rowId(),
    repository: () => p.manyToOne(OciRepository).mapToPk().deleteRule("restrict"),
    digest: key(NAME_LENGTH.digest),
    mediaType: longText(),
    size: big(),
    bytes: bytes(),
    subject: key(NAME_LENGTH.digest).nullable(),
    artifactType: longText().nullable(),
    /** JSON text. */
    annotations: longText().nullable(),
    pushedAt: time(),
    /** The manifest's clock: push, loss of a tag, pull (give or take the threshold). */
    touchedAt: time(),
    /** When it was deleted; it stays for views as of a time until the collector removes it. */
    deletedAt: time().nullable(),
  },
});

/** Rule R15: who needs whom, readable without opening a manifest. */
export const OciManifestEdge = defineEntity({
  name: "OciManifestEdge",
  tableName: "oci_manifest_edges",
  indexes: [{ properties: ["repository", "child"] }],
  properties: {
    manifest: () => p.manyToOne(OciManifest).mapToPk().primary().deleteRule("cascade"),
    kind: key(16).primary(),
    child: key(NAME_LENGTH.digest).primary(),
    repository: () => p.manyToOne(OciRepository).mapToPk().deleteRule("restrict"),
    size: big(),
  },
});

export const OciTag = defineEntity({
  name: "OciTag",
  tableName: "oci_tags",
  indexes: [{ properties: ["manifest"] }, { properties: ["repository", "subject"] }],
  properties: {
    repository: () => p.manyToOne(OciRepository).mapToPk().primary().deleteRule("restrict"),
    tag: key(128).primary(),
    manifest: () => p.manyToOne(OciManifest).mapToPk().deleteRule("restrict"),
    /**
     * Digest in the name of a fallback tag (`sha256-<hex>`, `.sig`, `.att`, `.sbom`). Such a tag is
     * not a root, and exists as long as that digest. Null for other tags.
     */
    subject: key(NAME_LENGTH.digest).nullable(),
    updatedAt: time().index(),
    /** When the tag was last pulled by its name, give or take the threshold. */
    pulledAt: time().nullable(),
  },
});

/** An upload that survives a restart and continues on any instance. */
export const OciUpload = defineEntity({
  name: "OciUpload",
  tableName: "oci_uploads",
  properties: {
    id: key(64).primary(),
    repository: key(REPOSITORY_LENGTH),
    owner: key(255),
    received: big(),
    algorithm: key(16).nullable(),
    /** The received bytes, while they are few. */
    bytes: bytes().nullable(),
    writer: key(128).nullable(),
    claimedUntil: time().nullable(),
    createdAt: time(),
    updatedAt: time().index(),
  },
});

/** Digests that must not be collected (rules R3 and R12). */
export const OciHold = defineEntity({
  name: "OciHold",
  tableName: "oci_holds",
  indexes: [{ properties: ["holder"] }],
  properties: {
    digest: key(NAME_LENGTH.digest).primary(),
    /** `promotion:<id>`, `fetch:<id>`, `operator`. */
    holder: key(NAME_LENGTH.actor).primary(),
    /** Null for a hold without an end. */
    heldUntil: time().nullable(),
  },
});

/** One run of the collector, and the report that it leaves. */
export const OciGarbageRun = defineEntity({
  name: "OciGarbageRun",
  tableName: "oci_gc_runs",
  properties: {
    id: key(36).primary(),
    surface: key(REPOSITORY_LENGTH),
    dryRun: p.boolean(),
    /** The report that a person had read. */
    reviewed: key(36).nullable(),
    state: key(16),
    /** Items that were last used before this time may be collected. */
    unusedSince: time(),
    startedAt: time().index(),
    finishedAt: time().nullable(),
    removedCount: big(),
    removedBytes: big(),
    error: longText().nullable(),
  },
});

/** Candidates of a run, in the order of their removal (rule R11). */
export const OciGarbageCandidate = defineEntity({
  name: "OciGarbageCandidate",
  tableName: "oci_gc_candidates",
  uniques: [{ properties: ["run", "kind", "repository", "digest"] }],
  properties: {
    id: rowId(),
    run: () => p.manyToOne(OciGarbageRun).mapToPk().deleteRule("cascade"),
    /** `manifest`, `link` or `blob`. */
    kind: key(16),
    /** Empty for a blob, which belongs to none. */
    repository: key(REPOSITORY_LENGTH),
    digest: key(NAME_LENGTH.digest),
    size: big(),
    reason: key(16),
    lastUsedAt: time(),
  },
});
