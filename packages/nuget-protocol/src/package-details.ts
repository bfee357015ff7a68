import { embeddedFileUrl } from "./addresses.ts";
import type { Dependency, DependencyGroup, License, Nuspec, PackageType } from "./nuspec.ts";
import type { PackageRecord } from "./ports.ts";

/** What the manifest said, for everything that shows a version: whatever release wrote the record,
 * texts are texts and lists are there. `packageTypes` is never empty. */
export type PackageDetails = Omit<Nuspec, "id" | "version">;

/** Absolute; undefined where there is nothing to link to. */
export type PackageLinks = {
  readonly readmeUrl?: string | undefined;
  readonly iconUrl?: string | undefined;
  readonly licenseUrl?: string | undefined;
};

type Given = Readonly<Record<string, unknown>>;

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
  const given = objectOf(parseJson(details));
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {};
  for (const name of TEXTS) {
    const text = textOf(given[name]);
    if (text !== undefined) texts[name] = text;
  }
  return {
    ...texts,
    authors: textOf(given["authors"]) ?? "",
    description: textOf(given["description"]) ?? "",
    tags: listOf(given["tags"]).flatMap((tag) => textOf(tag) ?? []),
    license: licenseOf(objectOf(given["license"])),
    requireLicenseAcceptance: given["requireLicenseAcceptance"] === true,
    developmentDependency: given["developmentDependency"] === true,
    packageTypes: packageTypesOf(given["packageTypes"]),
    repository: repositoryOf(given["repository"]),
    dependencyGroups: listOf(given["dependencyGroups"]).map(dependencyGroupOf),
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

/** An expression's texts stand where the public gallery links to as well. */
function licenseAddressOf({ license, licenseUrl }: PackageDetails): string | undefined {
  if (license === undefined) return licenseUrl;
  return `https://licenses.nuget.org/${encodeURIComponent(license.text.toWellFormed())}`;
}

function licenseOf({ type, text: given }: Given): License | undefined {
  const text = textOf(given);
  const isKnown = type === "expression" || type === "file";
  return isKnown && text !== undefined ? { type, text } : undefined;
}

function packageTypesOf(given: unknown): readonly PackageType[] {
  const types = listOf(given).flatMap((one): PackageType[] => {
    const { name, version } = objectOf(one);
    const known = textOf(name);
    return known === undefined ? [] : [{ name: known, version: textOf(version) }];
  });
  return types.length > 0 ? types : [{ name: "Dependency" }];
}

function repositoryOf(given: unknown): Nuspec["repository"] {
  if (typeof given !== "object" || given === null) return undefined;
  const { type, url, branch, commit } = objectOf(given);
  return { type: textOf(type), url: textOf(url), branch: textOf(branch), commit: textOf(commit) };
}

function dependencyGroupOf(given: unknown): DependencyGroup {
  const { targetFramework, dependencies } = objectOf(given);
  return {
    targetFramework: textOf(targetFramework),
    dependencies: listOf(dependencies).flatMap((one): Dependency[] => {
      const { id, range } = objectOf(one);
      const known = textOf(id);
      // Clients fail on an empty range.
      return known === undefined ? [] : [{ id: known, range: textOf(range) ?? ANY_VERSION }];
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

function objectOf(given: unknown): Given {
  return typeof given === "object" && given !== null ? { ...given } : {};
}

function listOf(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : [];
}

function textOf(given: unknown): string | undefined {
  return typeof given === "string" && given !== "" ? given : undefined;
}
