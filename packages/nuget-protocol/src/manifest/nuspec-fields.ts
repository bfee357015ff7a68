import { isLicenseExpression } from "../notation/license-expression.ts";
import type { License, PackageType, RepositoryMetadata } from "./nuspec-parts.ts";
import { isPackageId } from "../notation/package-id.ts";
import { comparePackageVersions, parsePackageVersion } from "../notation/package-version.ts";
import type { XmlElement } from "./xml.ts";

/** Where rules write what is wrong, one sentence each. */
export type Problems = string[];

/** nuget.org's limits, in characters. */
const LENGTHS_MAX: Readonly<Record<string, number>> = {
  title: 256,
  description: 4000,
  authors: 4000,
  summary: 4000,
  tags: 4000,
  copyright: 4000,
  projectUrl: 4000,
  iconUrl: 4000,
  licenseUrl: 4000,
  releaseNotes: 35_000,
  language: 20,
};
const REPOSITORY_LENGTHS_MAX = { type: 100, url: 4000, branch: 4000, commit: 4000 } as const;
const LICENSE_LENGTH_MAX = 4000;
/** The URL that packing tools write next to a license element for old clients. */
const TOOL_LICENSE_URL = /^https:\/\/(?:licenses\.nuget\.org\/|aka\.ms\/deprecateLicenseUrl$)/;
const LICENSE_VERSION_MAX = "1.0.0";

export function checkLengths(text: (name: string) => string | undefined, problems: Problems): void {
  for (const [name, max] of Object.entries(LENGTHS_MAX)) {
    if ((text(name)?.length ?? 0) > max) problems.push(`<${name}> is over ${max} characters.`);
  }
}

export function readUrl(
  name: string,
  text: string | undefined,
  problems: Problems,
): string | undefined {
  if (text === undefined) return undefined;
  const protocol = URL.parse(text)?.protocol;
  if (protocol !== "https:" && protocol !== "http:") {
    problems.push(`<${name}> must be an absolute http or https address.`);
  }
  return text;
}

export function readFlag(
  fields: ReadonlyMap<string, XmlElement>,
  name: string,
  problems: Problems,
): boolean {
  const text = fields.get(name)?.text.toLowerCase() ?? "";
  if (text !== "" && text !== "true" && text !== "false") {
    problems.push(`<${name}> must be true or false.`);
  }
  return text === "true";
}

export function readLicense(
  element: XmlElement | undefined,
  licenseUrl: string | undefined,
  problems: Problems,
): License | undefined {
  if (!element) return undefined;
  const { text } = element;
  const type = element.attributes.get("type");
  if (type !== "expression" && type !== "file") {
    problems.push('<license> needs type="expression" or type="file".');
    return undefined;
  }
  checkLicenseVersion(element.attributes.get("version"), problems);
  if (text.length > LICENSE_LENGTH_MAX) {
    problems.push(`<license> is over ${LICENSE_LENGTH_MAX} characters.`);
  } else if (text === "") problems.push("<license> is empty.");
  else if (type === "expression" && !isLicenseExpression(text)) {
    problems.push(`<license> "${text.slice(0, 120)}" is not an SPDX license expression.`);
  }
  if (licenseUrl !== undefined && !TOOL_LICENSE_URL.test(licenseUrl)) {
    problems.push("<license> and <licenseUrl> cannot be used together.");
  }
  return { type, text: type === "file" ? text.replaceAll("\\", "/") : text };
}

function checkLicenseVersion(text: string | undefined, problems: Problems): void {
  if (text === undefined) return;
  const [version, newest] = [text, LICENSE_VERSION_MAX].map(parsePackageVersion);
  if (!version || !newest || comparePackageVersions(version, newest) > 0) {
    problems.push(`<license> has the version "${text.slice(0, 80)}", which is newer than 1.0.0.`);
  }
}

export function readPackageTypes(
  element: XmlElement | undefined,
  problems: Problems,
): readonly PackageType[] {
  return (element?.children ?? [])
    .filter((child) => child.name === "packageType")
    .map((child) => {
      const name = child.attributes.get("name")?.trim() ?? "";
      const version = child.attributes.get("version")?.trim() || undefined;
      if (!isPackageId(name)) problems.push(`"${name.slice(0, 120)}" is not a package type name.`);
      if (version !== undefined && !parsePackageVersion(version)) {
        problems.push(`The package type ${name} has "${version.slice(0, 80)}" for a version.`);
      }
      return { name, version };
    });
}

export function readRepository(
  element: XmlElement | undefined,
  problems: Problems,
): RepositoryMetadata | undefined {
  if (!element) return undefined;
  const read = (name: keyof typeof REPOSITORY_LENGTHS_MAX) => {
    const text = element.attributes.get(name) || undefined;
    const max = REPOSITORY_LENGTHS_MAX[name];
    if ((text?.length ?? 0) > max) problems.push(`<repository> ${name} is over ${max} characters.`);
    return text;
  };
  return { type: read("type"), url: read("url"), branch: read("branch"), commit: read("commit") };
}
