import { parseDetails } from "../manifest/package-details.ts";
import type { PackageRecord } from "../stored-package.ts";
import type { NewCatalogItem } from "./ports.ts";

/** A file as a leaf describes it. */
export type CatalogFile = {
  /** Base64 SHA-512. */
  readonly hash: string;
  readonly size: number;
};

/** The current state of a version, and the time of its last change. */
export function detailsItem(
  record: PackageRecord,
  about: {
    readonly eventId: string | undefined;
    readonly file: CatalogFile;
    readonly editedAt: Date;
  },
): NewCatalogItem {
  const published = record.publishedAt.toISOString();
  const { file } = about;
  // What is undefined vanishes in JSON, which is what readers want of what does not exist.
  const leaf = {
    id: record.id,
    version: record.fullVersion,
    isPrerelease: record.isPrerelease,
    listed: record.listed,
    created: published,
    published,
    lastEdited: about.editedAt.toISOString(),
    packageHash: file.hash,
    packageHashAlgorithm: "SHA512",
    packageSize: file.size,
    ...manifestOf(record),
    deprecation: record.deprecation,
  };
  return {
    ...(about.eventId !== undefined && { eventId: about.eventId }),
    type: "PackageDetails",
    id: record.id,
    version: record.fullVersion,
    leaf: JSON.stringify(leaf),
  };
}

/** The end of a version, which was deleted permanently or is hidden now. */
export function deleteItem(
  { id, version }: { readonly id: string; readonly version: string },
  at: Date,
): NewCatalogItem {
  const leaf = { id, originalId: id, version, published: at.toISOString() };
  return { type: "PackageDelete", id, version, leaf: JSON.stringify(leaf) };
}

function manifestOf(record: PackageRecord): object {
  const details = parseDetails(record);
  const { license, icon, readme, repository } = details;
  return {
    verbatimVersion: details.verbatimVersion ?? record.fullVersion,
    title: details.title,
    authors: details.authors,
    description: details.description,
    summary: details.summary,
    releaseNotes: details.releaseNotes,
    copyright: details.copyright,
    language: details.language,
    tags: details.tags,
    projectUrl: details.projectUrl,
    iconUrl: details.iconUrl,
    iconFile: icon,
    readmeFile: readme,
    licenseUrl: details.licenseUrl,
    licenseExpression: license?.type === "expression" ? license.text : undefined,
    licenseFile: license?.type === "file" ? license.text : undefined,
    repository,
    minClientVersion: details.minClientVersion,
    requireLicenseAcceptance: details.requireLicenseAcceptance,
    developmentDependency: details.developmentDependency ? true : undefined,
    packageTypes: details.packageTypes,
    dependencyGroups: details.dependencyGroups,
  };
}
