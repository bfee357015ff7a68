import { isSemVer2Range, parsePackageVersion, parseVersionRange } from "@sealhouse/nuget-protocol";
import type { PackageRecord, VersionSummary } from "@sealhouse/nuget-protocol";
import type { KeptVersion } from "./kept-registration.ts";

/** Files that nuget.org and other feeds serve at an address below the version. */
type ServedFile = "icon" | "license";

/** The version as lists of versions tell; undefined for a text that is not a version. */
export function summaryOfNumber(id: string, number: string): VersionSummary | undefined {
  const version = parsePackageVersion(number);
  if (!version) return undefined;
  const { normalized, isPrerelease, isSemVer2 } = version;
  return { id, version: normalized, isPrerelease, isSemVer2, listed: true };
}

/** The version as a record of this feed. Links to files that the source itself serves become links
 * to this feed. */
export function recordOfKept(kept: KeptVersion): PackageRecord | undefined {
  const version = parsePackageVersion(kept.version);
  if (!version) return undefined;
  const publishedAt = kept.publishedAt ?? kept.firstSeenAt;
  if (!publishedAt) return undefined;
  return {
    id: kept.id,
    version: version.normalized,
    fullVersion: version.full,
    isPrerelease: version.isPrerelease,
    isSemVer2: version.isSemVer2 || hasSemVer2Dependency(kept),
    listed: kept.listed,
    publishedAt,
    downloads: 0,
    size: 0,
    origin: "Mirrored",
    publishedBy: "",
    ...(kept.deprecation && { deprecation: kept.deprecation }),
    ...(kept.vulnerabilities.length > 0 && { vulnerabilities: kept.vulnerabilities }),
    details: JSON.stringify(detailsOf(kept, version.normalized)),
  };
}

function hasSemVer2Dependency({ dependencyGroups }: KeptVersion): boolean {
  return dependencyGroups.some(({ dependencies }) =>
    dependencies.some(({ range }) => {
      const parsed = parseVersionRange(range);
      return parsed !== undefined && isSemVer2Range(parsed);
    }),
  );
}

const ANY_VERSION = "(, )";

/** Clients refuse a whole registration with a range that they cannot read. They read floating
 * ranges. */
function readableRange(range: string): string {
  return range.includes("*") || parseVersionRange(range) ? range : ANY_VERSION;
}

/** The fields of a manifest, as `parseDetails` reads them. */
function detailsOf(kept: KeptVersion, version: string): object {
  const { title, summary, language, minClientVersion, licenseExpression, readmeUrl } = kept.texts;
  const { iconUrl, licenseUrl } = kept.texts;
  const isServed = (url: string | undefined, file: ServedFile) =>
    isServedAt(url, { id: kept.id, version, file });
  return {
    authors: kept.authors,
    description: kept.description,
    tags: kept.tags,
    title,
    summary,
    language,
    minClientVersion,
    projectUrl: webAddress(kept.texts.projectUrl),
    ...(isServed(iconUrl, "icon") ? { icon: "icon" } : { iconUrl: webAddress(iconUrl) }),
    ...licenseOf({ licenseExpression, licenseUrl, isServed: isServed(licenseUrl, "license") }),
    ...(readmeUrl !== undefined && { readme: "readme" }),
    requireLicenseAcceptance: kept.requireLicenseAcceptance,
    packageTypes: kept.packageTypes.map((name) => ({ name })),
    dependencyGroups: kept.dependencyGroups.map((group) => ({
      ...group,
      dependencies: group.dependencies.map((dependency) => ({
        ...dependency,
        range: readableRange(dependency.range),
      })),
    })),
  };
}

function licenseOf({
  licenseExpression: text,
  licenseUrl,
  isServed,
}: {
  readonly licenseExpression: string | undefined;
  readonly licenseUrl: string | undefined;
  readonly isServed: boolean;
}): object {
  if (text !== undefined) return { license: { type: "expression", text } };
  if (isServed) return { license: { type: "file", text: "license" } };
  return { licenseUrl: webAddress(licenseUrl) };
}

function isServedAt(
  url: string | undefined,
  served: { readonly id: string; readonly version: string; readonly file: ServedFile },
): boolean {
  const path = url === undefined ? undefined : URL.parse(url)?.pathname.toLowerCase();
  const { id, version, file } = served;
  return path?.endsWith(`/${id}/${version}/${file}`.toLowerCase()) ?? false;
}

/** Sources are other people's: a link must not run anything in a browser. */
function webAddress(url: string | undefined): string | undefined {
  const protocol = url === undefined ? undefined : URL.parse(url)?.protocol;
  return protocol === "https:" || protocol === "http:" ? url : undefined;
}
