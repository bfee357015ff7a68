import { defineEntity, p } from "@mikro-orm/core";
import { bytes, key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** A registry that packages are taken from, or sent to. */
export const StoredSource = defineEntity({
  name: "StoredSource",
  tableName: "package_sources",
  properties: {
    /** Lower case. */
    key: key(64).primary(),
    name: key(64),
    protocol: key(NAME_LENGTH.protocol),
    url: longText(),
    type: key(16),
    priority: p.integer(),
    /** OCI segment; null: all. */
    surface: key(64).nullable(),
    strategy: key(16),
    signaturePolicy: key(16),
    enabled: p.boolean(),
    /** JSON, encrypted with the key ring. */
    credentials: bytes().nullable(),
    /** JSON of the settings that differ from the defaults. */
    settings: longText(),
    changedAt: time(),
  },
});

/** Results of the calls to a source: a stored or a configured one. */
export const SourceState = defineEntity({
  name: "SourceState",
  tableName: "source_states",
  properties: {
    /** Name of the source in lower case. */
    key: key(64).primary(),
    lastSuccessAt: time().nullable(),
    lastErrorAt: time().nullable(),
    lastError: longText().nullable(),
    /** JSON of the errors of the last hour, the newest first. */
    recentErrors: longText().nullable(),
    pausedUntil: time().nullable(),
  },
});

/** Whether a name was first published here or first found at a source. */
export const NameOrigin = defineEntity({
  name: "NameOrigin",
  tableName: "name_origins",
  properties: {
    protocol: key(NAME_LENGTH.protocol).primary(),
    /** Lower-case package id, npm package name or repository. */
    name: key(255).primary(),
    /** `own`, `reserved` or `mirrored`. */
    origin: key(16),
    /** Name of the source; null for others than mirrored names. */
    source: key(64).nullable(),
    since: time(),
  },
});

/** The certificate of another repository, whose signature some stored package has kept. */
export const UpstreamCertificate = defineEntity({
  name: "UpstreamCertificate",
  tableName: "upstream_certificates",
  properties: {
    fingerprint: key(64).primary(),
    subject: longText(),
    issuer: longText(),
    notBefore: time(),
    notAfter: time(),
    seenAt: time(),
    der: bytes(),
  },
});

/** A document of a source, or the fact that the source does not have it. */
export const UpstreamDocument = defineEntity({
  name: "UpstreamDocument",
  tableName: "upstream_documents",
  indexes: [{ properties: ["status", "checkedAt"] }, { properties: ["sourceHash"] }],
  properties: {
    documentKey: key(NAME_LENGTH.document).primary(),
    /** SHA-256 of protocol and address, hex. */
    sourceHash: key(64),
    /** `found` or `absent`. */
    status: key(16),
    /** SHA-256 of the bytes, hex; empty where it is absent. */
    revision: key(64),
    etag: longText().nullable(),
    lastModified: longText().nullable(),
    checkedAt: time(),
    goneSince: time().nullable(),
    /** Compressed. */
    content: bytes().nullable(),
  },
});
