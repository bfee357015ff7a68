import { defineEntity } from "@mikro-orm/core";
import { big, key, longText } from "./columns.ts";

// What searches read: rows exist only for the versions that one of a package's `newest…` columns
// names, so the tables grow with the packages and not with their versions.

/** The words of a version, as each database's own index takes them. */
export const NuGetSearchEntry = defineEntity({
  name: "NuGetSearchEntry",
  tableName: "nuget_search_entries",
  properties: {
    versionId: big().primary().autoincrement(false),
    packageId: big().index(),
    /** The id, followed by its tokens: `Acme.JsonTools acme json tools jsontools`. */
    idWords: longText(),
    title: longText(),
    tags: longText(),
    authors: longText(),
    owners: longText(),
    description: longText(),
  },
});

export const NuGetFramework = defineEntity({
  name: "NuGetFramework",
  tableName: "nuget_frameworks",
  properties: {
    versionId: big().primary(),
    /** Short folder name, lower case; `any` for a version that names none. */
    framework: key(64).primary().index(),
  },
});

/** What the newest listed version of a package depends on. */
export const NuGetDependency = defineEntity({
  name: "NuGetDependency",
  tableName: "nuget_dependencies",
  properties: {
    packageId: big().primary(),
    /** Lower case. */
    dependencyId: key(128).primary().index(),
  },
});
