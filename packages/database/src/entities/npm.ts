import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { big, key, longText, rowId, time } from "./columns.ts";

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
    /** The actor; tells a client's retry from somebody else's publish. */
    publishedBy: key(255),
    deprecated: longText().nullable(),
    description: longText(),
    /** JSON array. */
    keywords: longText(),
    /** Lower-cased name, description and keywords, for the search. */
    searchText: longText(),
    downloads: big(),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
  },
});

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
