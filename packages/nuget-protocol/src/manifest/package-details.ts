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
  "verbatimVersion",
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
  const fields = objectIn(parseJson(details));
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {};
  for (const name of TEXTS) {
    const text = jsonText(fields[name]);
    if (text !== undefined) texts[name] = text;
  }
  return {
    ...texts,
    authors: jsonText(fields["authors"]) ?? "",
    description: jsonText(fields["description"]) ?? "",
    tags: jsonList(fields["tags"]).flatMap((tag) => jsonText(tag) ?? []),
    license: licenseOf(objectIn(fields["license"])),
    requireLicenseAcceptance: fields["requireLicenseAcceptance"] === true,
    developmentDependency: fields["developmentDependency"] === true,
    packageTypes: packageTypesOf(fields["packageTypes"]),
    repository: repositoryOf(fields["repository"]),
    dependencyGroups: jsonList(fields["dependencyGroups"]).map(dependencyGroupOf),
  };
}

/** Where the files of a version are: in the package itself, or wherever its manifest says. */
export function packageLinks(
  base: string,
  { id, version }: Pick<PackageRecord, "id" | "version">,
  details: PackageDetails,
): PackageLinks {
  const identity = { id: id.toLowerCase(), version: version.toLowerCase() };
  const embedded = (file: "readme" | "icon" | "license") =>
    embeddedFileUrl(base, { ...identity, file });
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

function licenseOf({ type, text: rawText }: JsonObject): License | undefined {
  const text = jsonText(rawText);
  const isKnown = type === "expression" || type === "file";
  return isKnown && text !== undefined ? { type, text } : undefined;
}

function packageTypesOf(input: unknown): readonly PackageType[] {
  const types = jsonList(input).flatMap((entry): PackageType[] => {
    const { name, version } = objectIn(entry);
    const typeName = jsonText(name);
    return typeName === undefined ? [] : [{ name: typeName, version: jsonText(version) }];
  });
  return types.length > 0 ? types : [{ name: "Dependency" }];
}

function repositoryOf(input: unknown): Nuspec["repository"] {
  if (typeof input !== "object" || input === null) return undefined;
  const { type, url, branch, commit } = objectIn(input);
  return {
    type: jsonText(type),
    url: jsonText(url),
    branch: jsonText(branch),
    commit: jsonText(commit),
  };
}

function dependencyGroupOf(input: unknown): DependencyGroup {
  const { targetFramework, dependencies } = objectIn(input);
  return {
    targetFramework: jsonText(targetFramework),
    dependencies: jsonList(dependencies).flatMap((entry): Dependency[] => {
      const { id, range } = objectIn(entry);
      const packageId = jsonText(id);
      // Clients fail on an empty range.
      return packageId === undefined
        ? []
        : [{ id: packageId, range: jsonText(range) ?? ANY_VERSION }];
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

function objectIn(input: unknown): JsonObject {
  return jsonObject(input) ?? {};
}
