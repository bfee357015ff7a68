import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { big, bytes, key, longText, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

export const NuGetPackage = defineEntity({
  name: "NuGetPackage",
  tableName: "nuget_packages",
  // For everybody who looks around: the most downloaded first.
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
    /** JSON array: everybody who has published a version, in the order of their first. */
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
    // All that a search tells of each version, so that long histories are not read row by row.
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
    /** Bytes of the file as received. */
    size: big().default(0),
    /** `Published`, `Mirrored` or `Cached`. */
    origin: key(16).default("Published"),
    publishedBy: key(NAME_LENGTH.actor).default(""),
    /** JSON; null when the version is not deprecated. */
    deprecation: longText().nullable(),
    /** JSON array of short folder names, lower case; null when they were never read. */
    targetFrameworks: longText().nullable(),
    /** JSON array of the lower-cased ids it depends on; null when they were never read. */
    dependencyIds: longText().nullable(),
    details: longText(),
    nuspec: bytes(),
    /** Base64, of the file as received. */
    sha512: key(88),
    /** Base64 SHA-512 of the package without any signature; null until it is known. */
    contentHash: key(88).nullable(),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
    // The signature it is served with. The digests of the signed file are known later.
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

/** A version that was deleted for good: its number is not taken again by accident. */
export const NuGetTombstone = defineEntity({
  name: "NuGetTombstone",
  tableName: "nuget_tombstones",
  properties: {
    lowerId: key(128).primary(),
    lowerVersion: key(128).primary(),
    displayId: key(128),
    version: key(128),
    /** Hex, of the file that was deleted. */
    sha256: key(64),
    deletedAt: time(),
    deletedBy: key(NAME_LENGTH.actor),
  },
});
