import { registrationLeafUrl, registrationUrl } from "../addresses.ts";
import { advisoriesFor } from "../advisories/matching.ts";
import type { Advisory } from "../advisories/ports.ts";
import type { Hive } from "../document-key.ts";
import { packageLinks, parseDetails } from "../manifest/package-details.ts";
import type { VersionSummary } from "../ports.ts";
import type { Dependent, SearchFilter, SearchHit } from "./ports.ts";

export type SearchResults = { readonly totalHits: number; readonly hits: readonly SearchHit[] };

/** The answer to a search: one hit per id, described by its newest version. `advisories` by
 * lower-cased id. */
export function searchDocument(
  base: string,
  { semVer2 }: Pick<SearchFilter, "semVer2">,
  result: SearchResults & { readonly advisories?: ReadonlyMap<string, readonly Advisory[]> },
): object {
  const place = { base, hive: semVer2 ? "semver2" : "semver1" } as const;
  return {
    totalHits: result.totalHits,
    data: result.hits.map((hit) =>
      hitObject(place, hit, result.advisories?.get(hit.id.toLowerCase()) ?? []),
    ),
  };
}

/** The answer to who depends on a package. */
export function dependentsDocument(result: {
  readonly totalHits: number;
  readonly packages: readonly Dependent[];
}): object {
  return {
    totalHits: result.totalHits,
    data: result.packages.map(({ id, description, downloads }) => ({
      id,
      description,
      totalDownloads: downloads,
    })),
  };
}

/**
 * The versions a client may complete to: listed, and passing the filters. Undefined for an id
 * without versions.
 */
export function completionDocument(
  versions: readonly VersionSummary[],
  { prerelease, semVer2 }: Pick<SearchFilter, "prerelease" | "semVer2">,
): object | undefined {
  if (versions.length === 0) return undefined;
  const data = versions
    .filter((version) => version.listed)
    .filter((version) => prerelease || !version.isPrerelease)
    .filter((version) => semVer2 || !version.isSemVer2)
    .map((version) => version.version);
  return { totalHits: data.length, data };
}

function hitObject(
  { base, hive }: { readonly base: string; readonly hive: Hive },
  { id, newest, versions, owners }: SearchHit,
  advisories: readonly Advisory[],
): object {
  const lower = id.toLowerCase();
  const registration = registrationUrl(base, hive, lower);
  const details = parseDetails(newest);
  const { iconUrl, licenseUrl, readmeUrl } = packageLinks(base, newest, details);
  const newestAdvisories = advisoriesFor(newest.version, advisories);
  return {
    "@id": registration,
    "@type": "Package",
    registration,
    id: newest.id,
    version: newest.fullVersion,
    description: details.description,
    summary: details.summary ?? "",
    title: details.title ?? newest.id,
    iconUrl,
    licenseUrl,
    licenseExpression: details.license?.type === "expression" ? details.license.text : undefined,
    projectUrl: details.projectUrl,
    readmeUrl,
    tags: details.tags,
    authors: details.authors === "" ? [] : [details.authors],
    owners: owners.length > 0 ? owners : undefined,
    totalDownloads: versions.reduce((sum, version) => sum + version.downloads, 0),
    verified: false,
    packageTypes: details.packageTypes.map(({ name }) => ({ name })),
    versions: versions.map((version) => ({
      version: version.fullVersion,
      downloads: version.downloads,
      "@id": registrationLeafUrl(base, { hive, id: lower, version: version.version.toLowerCase() }),
    })),
    deprecation: newest.deprecation,
    vulnerabilities:
      newestAdvisories.length > 0
        ? newestAdvisories.map(({ url, severity }) => ({ advisoryUrl: url, severity }))
        : undefined,
  };
}
