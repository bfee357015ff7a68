import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { big, bytes, key, longText, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

export const NpmPackage = defineEntity({
  name: "NpmPackage",
  tableName: "npm_packages",
  properties: {
    id: rowId(),
    name: key(214).unique(),
    revision: p.integer(),
    createdAt: time(),
    modifiedAt: time(),
    readme: longText().nullable(),
    readmeFilename: longText().nullable(),
    /**
     * JSON array of `{name, email?}`: the users that may change the package, in addition to tokens
     * for its name.
     */
    maintainers: longText(),
    /** `public` or `restricted`, as published; null when not specified. */
    access: key(16).nullable(),
  },
});

export const NpmVersion = defineEntity({
  name: "NpmVersion",
  tableName: "npm_versions",
  indexes: [{ properties: ["blob"] }],
  uniques: [{ properties: ["package", "version"] }],
  properties: {
    id: rowId(),
    package: () => p.manyToOne(NpmPackage).mapToPk().deleteRule("restrict"),
    version: key(256),
    /** Final JSON text; a text column, because a JSON column would reorder it. */
    manifest: longText(),
    abbreviated: longText(),
    integrity: key(255),
    shasum: key(40),
    fileCount: p.integer(),
    unpackedSize: big(),
    publishedAt: time().index(),
    /** The actor; distinguishes a client's retry from another publisher. */
    publishedBy: key(255),
    /**
     * JSON array of the requested dist-tags, sorted; distinguishes a retry from a publish with
     * other tags.
     */
    publishedTags: longText(),
    deprecated: longText().nullable(),
    /** JSON array: `dist.signatures`; null until the registry has signed it. */
    signatures: longText().nullable(),
    /**
     * JSON array of the lower-case names of all dependencies except development ones; null when
     * unknown.
     */
    dependencyNames: longText().nullable(),
    description: longText(),
    /** JSON array. */
    keywords: longText(),
    /** Lower-cased name, description and keywords, for the search. */
    searchText: longText(),
    downloads: big(),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
  },
});

/** A dist-tag of a package. */
export const NpmTag = defineEntity({
  name: "NpmTag",
  tableName: "npm_tags",
  indexes: [{ properties: ["version"] }],
  properties: {
    package: () => p.manyToOne(NpmPackage).mapToPk().primary().deleteRule("restrict"),
    tag: key(214).primary(),
    version: () => p.manyToOne(NpmVersion).mapToPk().deleteRule("restrict"),
  },
});

/** An unpublished version, whose number cannot be reused. */
export const NpmTombstone = defineEntity({
  name: "NpmTombstone",
  tableName: "npm_tombstones",
  properties: {
    name: key(214).primary(),
    version: key(256).primary(),
    integrity: key(255),
    publishedAt: time(),
    removedAt: time(),
    removedBy: key(NAME_LENGTH.actor),
  },
});

/** The name of an unpublished package, reserved for its former publisher for a while. */
export const NpmRemovedName = defineEntity({
  name: "NpmRemovedName",
  tableName: "npm_removed_names",
  properties: {
    name: key(214).primary(),
    removedAt: time(),
    removedBy: key(NAME_LENGTH.actor),
  },
});

/** Packages that depend on a name, by the version that `latest` points to. */
export const NpmDependency = defineEntity({
  name: "NpmDependency",
  tableName: "npm_dependencies",
  indexes: [{ properties: ["dependencyName"] }],
  properties: {
    package: () => p.manyToOne(NpmPackage).mapToPk().primary().deleteRule("cascade"),
    dependencyName: key(214).primary(),
  },
});

/** A key of the registry's signatures, its own or an upstream's. */
export const NpmSigningKey = defineEntity({
  name: "NpmSigningKey",
  tableName: "npm_signing_keys",
  properties: {
    /** `SHA256:…` of the public key, base64. */
    keyId: key(64).primary(),
    /** SubjectPublicKeyInfo, base64 DER. */
    publicKey: longText(),
    /** PKCS#8, protected with the key ring; null for keys of others. */
    sealedKey: bytes().nullable(),
    createdAt: time(),
    /** Time from which clients may see the key: when every version has its signature. */
    announcedAt: time().nullable(),
    expiresAt: time().nullable(),
  },
});

/** A statement about a version: a Sigstore bundle. */
export const NpmAttestation = defineEntity({
  name: "NpmAttestation",
  tableName: "npm_attestations",
  uniques: [{ properties: ["version", "predicateType"] }],
  properties: {
    id: rowId(),
    version: () => p.manyToOne(NpmVersion).mapToPk().deleteRule("cascade"),
    predicateType: key(255),
    /** The bundle as received, as JSON text. */
    bundle: longText(),
    createdAt: time(),
  },
});

/** Advisories about packages of the npm ecosystem. */
export const NpmAdvisory = defineEntity({
  name: "NpmAdvisory",
  tableName: "npm_advisories",
  indexes: [{ properties: ["source"] }],
  properties: {
    id: rowId(),
    source: key(64),
    /** `GHSA-…`, when the source gives one. */
    advisoryId: key(128).nullable(),
    name: key(214).index(),
    /** 0 low, 1 moderate, 2 high, 3 critical. */
    severity: p.integer(),
    title: longText(),
    url: longText(),
    /** A range as semver writes it. */
    versions: longText(),
    /** JSON array: `CWE-79`. */
    cwe: longText(),
    /** JSON: `{score, vectorString}`; null when the source gives none. */
    cvss: longText().nullable(),
  },
});
