import { defineEntity } from "@mikro-orm/core";
import { big, key, longText } from "./columns.ts";

// What searches read: rows exist only for the versions that one of a package's `newest…` columns
// names, so the tables grow with the packages and not with their versions.

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
    /** What the words of the id end in. */
    idParts: longText(),
    title: longText(),
    tags: longText(),
    authors: longText(),
    summary: longText(),
    description: longText(),
  },
});

/** What the newest listed version of a package, a stable one if there is any, depends on. */
export const NuGetDependency = defineEntity({
  name: "NuGetDependency",
  tableName: "nuget_dependencies",
  properties: {
    packageId: big().primary(),
    /** Lower case. */
    dependencyId: key(128).primary().index(),
  },
});
