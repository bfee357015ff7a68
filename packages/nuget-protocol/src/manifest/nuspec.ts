import { readDependencyGroups } from "./nuspec-dependencies.ts";
import type { Problems } from "./nuspec-fields.ts";
import {
  checkLengths,
  readFlag,
  readLicense,
  readPackageTypes,
  readRepository,
  readUrl,
} from "./nuspec-fields.ts";
import { isPackageId } from "../notation/package-id.ts";
import { parsePackageVersion } from "../notation/package-version.ts";
import { isSemVer2Range, parseVersionRange } from "../notation/version-range.ts";
import type { XmlElement } from "./xml.ts";
import { parseXml } from "./xml.ts";
import type { License, PackageType, RepositoryMetadata, DependencyGroup } from "./nuspec-parts.ts";

/** A package manifest, as plain data that survives JSON. */
export type Nuspec = {
  readonly id: string;
  /** Normal form plus metadata. */
  readonly version: string;
  /** The version as the manifest spells it, where that differs. */
  readonly verbatimVersion?: string | undefined;
  readonly authors: string;
  readonly description: string;
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
  readonly releaseNotes?: string | undefined;
  readonly copyright?: string | undefined;
  readonly language?: string | undefined;
  readonly tags: readonly string[];
  readonly projectUrl?: string | undefined;
  readonly iconUrl?: string | undefined;
  readonly licenseUrl?: string | undefined;
  /** Path in the package, with forward slashes. */
  readonly icon?: string | undefined;
  readonly readme?: string | undefined;
  readonly license?: License | undefined;
  readonly requireLicenseAcceptance: boolean;
  readonly developmentDependency: boolean;
  readonly minClientVersion?: string | undefined;
  /** Empty when none is declared, which means `Dependency`. */
  readonly packageTypes: readonly PackageType[];
  readonly repository?: RepositoryMetadata | undefined;
  readonly dependencyGroups: readonly DependencyGroup[];
};

export type NuspecOutcome =
  | { readonly status: "valid"; readonly nuspec: Nuspec }
  | { readonly status: "invalid"; readonly problems: readonly string[] };

/** A manifest is text for people and a few lists; a bigger one is a mistake or an attack. */
export const NUSPEC_BYTES_MAX = 1024 * 1024;

const NAMESPACE = /^http:\/\/schemas\.microsoft\.com\/packaging\/\d{4}\/\d{2}\/nuspec\.xsd$/;
const VERSION_LENGTH_MAX = 64;
const ID_AND_VERSION_LENGTH_MAX = 160;

export type NuspecOptions = {
  /** Symbol packages name neither authors nor a description; both are "" then. Default false. */
  readonly isSymbols?: boolean;
  /** Another feed has accepted the package: only its identity must be valid. Default false. */
  readonly isForeign?: boolean;
};

/** Reads a manifest and collects everything that is wrong with it. */
export function parseNuspec(bytes: Uint8Array, options: NuspecOptions = {}): NuspecOutcome {
  if (bytes.length > NUSPEC_BYTES_MAX) {
    return invalid(`The nuspec is larger than ${NUSPEC_BYTES_MAX} bytes.`);
  }
  const xml = parseXml(bytes);
  if (xml.status === "unreadable") return invalid(`The nuspec is not usable XML: ${xml.problem}.`);
  const metadata = metadataOf(xml.root);
  if (typeof metadata === "string") return invalid(metadata);
  const problems: string[] = [];
  const nuspec = nuspecOf(metadata, problems, options);
  return problems.length === 0 ? { status: "valid", nuspec } : { status: "invalid", problems };
}

/** True when the version itself or a bound of a dependency needs SemVer 2.0.0. */
export function isSemVer2Nuspec(nuspec: Nuspec): boolean {
  if (parsePackageVersion(nuspec.version)?.isSemVer2 === true) return true;
  return nuspec.dependencyGroups.some(({ dependencies }) =>
    dependencies.some(({ range }) => {
      const parsed = parseVersionRange(range);
      return parsed !== undefined && isSemVer2Range(parsed);
    }),
  );
}

function invalid(problem: string): NuspecOutcome {
  return { status: "invalid", problems: [problem] };
}

function metadataOf(root: XmlElement): XmlElement | string {
  if (root.name !== "package") return "The root element of the nuspec must be <package>.";
  const namespaces = [root, ...root.children].map((element) => element.attributes.get("xmlns"));
  const foreign = namespaces.find(
    (namespace) => namespace !== undefined && namespace !== "" && !NAMESPACE.test(namespace),
  );
  if (foreign !== undefined) return `The nuspec has the unknown XML namespace "${foreign}".`;
  const [metadata, ...others] = root.children.filter((child) => child.name === "metadata");
  if (!metadata || others.length > 0) return "The nuspec must have exactly one <metadata> element.";
  return metadata;
}

function nuspecOf(
  metadata: XmlElement,
  serious: Problems,
  { isSymbols = false, isForeign = false }: NuspecOptions,
): Nuspec {
  checkDuplicates(metadata, serious);
  const problems = isForeign ? [] : serious;
  const fields = new Map(metadata.children.map((child) => [child.name, child]));
  const text = (name: string) => fields.get(name)?.text || undefined;
  const needed = (name: string) =>
    isSymbols ? (text(name) ?? "") : required(name, text(name), problems);
  const { id, version } = readIdentity(text("id"), text("version"), serious);
  checkLengths(text, problems);
  const license = readLicense(fields.get("license"), text("licenseUrl"), problems);
  const mustBeAccepted = readFlag(fields, "requireLicenseAcceptance", problems);
  const hasLicense = license !== undefined || text("licenseUrl") !== undefined;
  if (mustBeAccepted && !hasLicense && !isSymbols) {
    problems.push("<requireLicenseAcceptance> needs a <license> that people can accept.");
  }
  // We do not read it, but the public gallery accepts no other words either.
  readFlag(fields, "serviceable", problems);
  const minClientVersion = readMinClientVersion(metadata, problems);
  const repository = readRepository(fields.get("repository"), problems);
  return {
    id,
    version,
    verbatimVersion: text("version") === version ? undefined : text("version"),
    authors: needed("authors"),
    description: needed("description"),
    title: text("title"),
    summary: text("summary"),
    releaseNotes: text("releaseNotes"),
    copyright: text("copyright"),
    language: text("language"),
    tags: [...new Set((text("tags") ?? "").split(/[\s,;]+/).filter(Boolean))],
    projectUrl: readUrl("projectUrl", text("projectUrl"), problems),
    iconUrl: readUrl("iconUrl", text("iconUrl"), problems),
    licenseUrl: readUrl("licenseUrl", text("licenseUrl"), problems),
    icon: text("icon")?.replaceAll("\\", "/"),
    readme: text("readme")?.replaceAll("\\", "/"),
    license,
    requireLicenseAcceptance: mustBeAccepted,
    developmentDependency: readFlag(fields, "developmentDependency", problems),
    minClientVersion,
    packageTypes: readPackageTypes(fields.get("packageTypes"), problems),
    repository,
    dependencyGroups: readDependencyGroups(fields.get("dependencies"), problems),
  };
}

function checkDuplicates(metadata: XmlElement, problems: Problems): void {
  const groups = Map.groupBy(metadata.children, (child) => child.name);
  for (const [name, group] of groups) {
    if (group.length > 1) problems.push(`The nuspec has <${name}> ${group.length} times.`);
  }
}

function readIdentity(
  id: string | undefined,
  versionText: string | undefined,
  problems: Problems,
): { id: string; version: string } {
  if (id === undefined) problems.push("The nuspec has no <id>.");
  else if (!isPackageId(id)) {
    problems.push(
      `The id "${id.slice(0, 120)}" is not allowed: use up to 100 ASCII letters, digits and ` +
        `underscores, with single dots or hyphens between them.`,
    );
  }
  const version = versionText === undefined ? undefined : parsePackageVersion(versionText);
  if (versionText === undefined) problems.push("The nuspec has no <version>.");
  else if (!version) problems.push(`The version "${versionText.slice(0, 80)}" is not a version.`);
  else if (version.full.length > VERSION_LENGTH_MAX) {
    problems.push(`The version is longer than ${VERSION_LENGTH_MAX} characters.`);
  } else if ((id ?? "").length + version.full.length > ID_AND_VERSION_LENGTH_MAX) {
    problems.push(`Id and version are together over ${ID_AND_VERSION_LENGTH_MAX} characters.`);
  }
  return { id: id ?? "", version: version?.full ?? "" };
}

function required(name: string, text: string | undefined, problems: Problems): string {
  if (text === undefined) problems.push(`The nuspec has no <${name}>, or it is empty.`);
  return text ?? "";
}

function readMinClientVersion(metadata: XmlElement, problems: Problems): string | undefined {
  const text = metadata.attributes.get("minClientVersion");
  if (text === undefined || text === "") return undefined;
  const version = parsePackageVersion(text);
  if (!version) problems.push(`minClientVersion "${text.slice(0, 80)}" is not a version.`);
  return version && text;
}
