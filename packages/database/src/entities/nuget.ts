import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { big, bytes, key, longText, rowId, time } from "./columns.ts";

export const NuGetPackage = defineEntity({
  name: "NuGetPackage",
  tableName: "nuget_packages",
  properties: {
    id: rowId(),
    lowerId: key(128).unique(),
    /** In the casing of its latest version. */
    displayId: key(128),
    createdAt: time(),
    downloads: big(),
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
  indexes: [{ properties: ["blob"] }],
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
    details: longText(),
    nuspec: bytes(),
    /** Base64, of the file as received. */
    sha512: key(88),
    /** JSON array, lower case. */
    packageTypes: longText(),
    /** Lower-cased id, title, tags, authors and description, for the search. */
    searchText: longText(),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
    sealPlan: bytes().nullable(),
    sealFingerprint: key(64).nullable().index(),
    sealSize: big().nullable(),
    sealSignedAt: time().nullable(),
  },
});

/** A certificate that has signed at least once. */
export const SigningCertificate = defineEntity({
  name: "SigningCertificate",
  tableName: "signing_certificates",
  properties: {
    fingerprint: key(64).primary(),
    subject: longText(),
    issuer: longText(),
    notBefore: time(),
    notAfter: time(),
    firstUsedAt: time(),
    lastUsedAt: time(),
    active: p.boolean(),
    der: bytes(),
  },
});
