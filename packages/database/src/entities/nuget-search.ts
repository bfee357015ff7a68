import { defineEntity } from "@mikro-orm/core";
import { big, key, longText } from "./columns.ts";

// Tables for searches. Only versions in the `newest…` columns of a package have rows, so the tables
// grow with the number of packages, not of versions.

/** The words of a version, each with a space before and after it, in the form that the protocol
 * package gives them. Indexes of the databases' own follow this table by triggers. */
export const NuGetSearchEntry = defineEntity({
  name: "NuGetSearchEntry",
  tableName: "nuget_search_entries",
  // From what an index of words finds to its package, without reading the row.
  indexes: [{ properties: ["versionId", "packageId"] }],
  properties: {
    versionId: big().primary().autoincrement(false),
    packageId: big().index(),
    /** Ways to search of which this is the newest, owners, package types, frameworks. */
    filters: longText(),
    idWords: longText(),
    /** Suffixes of the words in the id. */
    idParts: longText(),
    title: longText(),
    tags: longText(),
    authors: longText(),
    summary: longText(),
    description: longText(),
  },
});

/** Dependencies of a package's newest listed version, preferably a stable one. */
export const NuGetDependency = defineEntity({
  name: "NuGetDependency",
  tableName: "nuget_dependencies",
  properties: {
    packageId: big().primary(),
    /** Lower case. */
    dependencyId: key(128).primary().index(),
  },
});
