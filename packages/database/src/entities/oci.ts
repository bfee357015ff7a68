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

/** What makes a blob visible in a repository. */
export const OciBlobLink = defineEntity({
  name: "OciBlobLink",
  tableName: "oci_repository_blobs",
  indexes: [{ properties: ["blob"] }],
  properties: {
    repository: () => p.manyToOne(OciRepository).mapToPk().primary().deleteRule("restrict"),
    blob: () => p.manyToOne(Blob).mapToPk().primary().deleteRule("restrict"),
    linkedAt: time(),
  },
});

export const OciManifest = defineEntity({
  name: "OciManifest",
  tableName: "oci_manifests",
  uniques: [{ properties: ["repository", "digest"] }],
  indexes: [{ properties: ["repository", "subject"] }],
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
  indexes: [{ properties: ["manifest"] }],
  properties: {
    repository: () => p.manyToOne(OciRepository).mapToPk().primary().deleteRule("restrict"),
    tag: key(128).primary(),
    manifest: () => p.manyToOne(OciManifest).mapToPk().deleteRule("restrict"),
    updatedAt: time().index(),
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
    writer: key(128).nullable(),
    claimedUntil: time().nullable(),
    createdAt: time(),
    updatedAt: time().index(),
  },
});
