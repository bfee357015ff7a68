import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { big, bytes, key, longText, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

export const NuGetPackage = defineEntity({
  name: "NuGetPackage",
  tableName: "nuget_packages",
  // For unfiltered searches: most downloaded first.
  indexes: [
    {
      name: "nuget_packages_popular",
      properties: ["downloads", "lowerId"],
      columns: [{ name: "downloads", sort: "DESC" }, { name: "lower_id" }],
    },
  ],
  properties: {
    id: rowId(),
    lowerId: key(128).unique(),
    /** In the casing of its latest version. */
    displayId: key(128),
    createdAt: time(),
    downloads: big(),
    /** JSON array of all publishers, in the order of their first publish. */
    owners: longText().nullable(),
    // The newest listed version for each way to ask: the search reads these instead of sorting all
    // versions. No foreign keys, because versions point here already.
    newestStable1: big().nullable(),
    newestAny1: big().nullable(),
    newestStable2: big().nullable(),
    newestAny2: big().nullable(),
  },
});

export const NuGetVersion = defineEntity({
  name: "NuGetVersion",
  tableName: "nuget_versions",
  indexes: [
    { properties: ["blob"] },
    // Contains all columns that a search reads per version, so that long histories need no row
    // access.
    {
      name: "nuget_versions_shown",
      properties: ["package", "listed", "isPrerelease", "isSemVer2", "fullVersion", "downloads"],
    },
  ],
  uniques: [{ properties: ["package", "lowerVersion"] }],
  properties: {
    id: rowId(),
    package: () => p.manyToOne(NuGetPackage).mapToPk().deleteRule("restrict"),
    lowerVersion: key(256),
    displayId: key(128),
    version: key(256),
    fullVersion: key(256),
    isPrerelease: p.boolean(),
    isSemVer2: p.boolean(),
    listed: p.boolean(),
    publishedAt: time().index(),
    downloads: big(),
    /** Time of the last download; null when there was none. */
    downloadedAt: time().nullable(),
    /** Bytes of the file as received. */
    size: big(),
    /** `Published`, `Mirrored` or `Cached`. */
    origin: key(16),
    publishedBy: key(NAME_LENGTH.actor),
    /** JSON text; null when the version is not deprecated. */
    deprecation: longText().nullable(),
    /** JSON array of lower-case short framework names; null when unknown. */
    targetFrameworks: longText().nullable(),
    /** JSON array of lower-case ids of dependencies; null when unknown. */
    dependencyIds: longText().nullable(),
    details: longText(),
    nuspec: bytes(),
    /** Base64, of the file as received. */
    sha512: key(88),
    /** Base64 SHA-512 of the package without its signatures; null until computed. */
    contentHash: key(88).nullable(),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
    // The current signature. The digests of the signed file are computed later.
    sealPlan: bytes().nullable(),
    sealFingerprint: key(64).nullable().index(),
    sealSize: big().nullable(),
    sealSignedAt: time().nullable(),
    /** Hex. */
    sealSha256: key(64).nullable(),
    /** Base64. */
    sealSha512: key(88).nullable(),
  },
});

/** A permanently deleted version, whose number is protected from accidental reuse. */
export const NuGetTombstone = defineEntity({
  name: "NuGetTombstone",
  tableName: "nuget_tombstones",
  properties: {
    lowerId: key(128).primary(),
    lowerVersion: key(128).primary(),
    displayId: key(128),
    version: key(128),
    /** SHA-256 of the deleted file, in hex. */
    sha256: key(64),
    deletedAt: time(),
    deletedBy: key(NAME_LENGTH.actor),
  },
});
