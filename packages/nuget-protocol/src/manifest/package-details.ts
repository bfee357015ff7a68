import { embeddedFileUrl } from "../addresses.ts";
import type { JsonObject } from "../json-value.ts";
import { jsonList, jsonObject, jsonText } from "../json-value.ts";
import type { Nuspec } from "./nuspec.ts";
import type { Dependency, DependencyGroup, License, PackageType } from "./nuspec-parts.ts";
import type { PackageRecord } from "../stored-package.ts";

/**
 * Fields of the manifest for all views of a version: whichever release wrote the record, texts are
 * strings and lists exist. `packageTypes` is never empty.
 */
export type PackageDetails = Omit<Nuspec, "id" | "version">;

/** Absolute; undefined where there is nothing to link to. */
export type PackageLinks = {
  readonly readmeUrl?: string | undefined;
  readonly iconUrl?: string | undefined;
  readonly licenseUrl?: string | undefined;
};

const ANY_VERSION = "(, )";
const TEXTS = [
  "title",
  "summary",
  "releaseNotes",
  "copyright",
  "language",
  "projectUrl",
  "iconUrl",
  "licenseUrl",
  "icon",
  "readme",
  "minClientVersion",
] as const;

/** Reads the details of a record. What is missing or of an unknown form reads as not there. */
export function parseDetails({ details }: Pick<PackageRecord, "details">): PackageDetails {
  const given = objectIn(parseJson(details));
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {};
  for (const name of TEXTS) {
    const text = jsonText(given[name]);
    if (text !== undefined) texts[name] = text;
  }
  return {
    ...texts,
    authors: jsonText(given["authors"]) ?? "",
    description: jsonText(given["description"]) ?? "",
    tags: jsonList(given["tags"]).flatMap((tag) => jsonText(tag) ?? []),
    license: licenseOf(objectIn(given["license"])),
    requireLicenseAcceptance: given["requireLicenseAcceptance"] === true,
    developmentDependency: given["developmentDependency"] === true,
    packageTypes: packageTypesOf(given["packageTypes"]),
    repository: repositoryOf(given["repository"]),
    dependencyGroups: jsonList(given["dependencyGroups"]).map(dependencyGroupOf),
  };
}

/** Where the files of a version are: in the package itself, or wherever its manifest says. */
export function packageLinks(
  base: string,
  { id, version }: Pick<PackageRecord, "id" | "version">,
  details: PackageDetails,
): PackageLinks {
  const named = { id: id.toLowerCase(), version: version.toLowerCase() };
  const embedded = (file: "readme" | "icon" | "license") =>
    embeddedFileUrl(base, { ...named, file });
  return {
    readmeUrl: details.readme === undefined ? undefined : embedded("readme"),
    iconUrl: details.icon === undefined ? details.iconUrl : embedded("icon"),
    licenseUrl: details.license?.type === "file" ? embedded("license") : licenseAddressOf(details),
  };
}

/** Texts of the licenses in an expression, at the site that the public gallery links to. */
function licenseAddressOf({ license, licenseUrl }: PackageDetails): string | undefined {
  if (license === undefined) return licenseUrl;
  return `https://licenses.nuget.org/${encodeURIComponent(license.text.toWellFormed())}`;
}

function licenseOf({ type, text: given }: JsonObject): License | undefined {
  const text = jsonText(given);
  const isKnown = type === "expression" || type === "file";
  return isKnown && text !== undefined ? { type, text } : undefined;
}

function packageTypesOf(given: unknown): readonly PackageType[] {
  const types = jsonList(given).flatMap((one): PackageType[] => {
    const { name, version } = objectIn(one);
    const known = jsonText(name);
    return known === undefined ? [] : [{ name: known, version: jsonText(version) }];
  });
  return types.length > 0 ? types : [{ name: "Dependency" }];
}

function repositoryOf(given: unknown): Nuspec["repository"] {
  if (typeof given !== "object" || given === null) return undefined;
  const { type, url, branch, commit } = objectIn(given);
  return {
    type: jsonText(type),
    url: jsonText(url),
    branch: jsonText(branch),
    commit: jsonText(commit),
  };
}

function dependencyGroupOf(given: unknown): DependencyGroup {
  const { targetFramework, dependencies } = objectIn(given);
  return {
    targetFramework: jsonText(targetFramework),
    dependencies: jsonList(dependencies).flatMap((one): Dependency[] => {
      const { id, range } = objectIn(one);
      const known = jsonText(id);
      // Clients fail on an empty range.
      return known === undefined ? [] : [{ id: known, range: jsonText(range) ?? ANY_VERSION }];
    }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectIn(given: unknown): JsonObject {
  return jsonObject(given) ?? {};
}
