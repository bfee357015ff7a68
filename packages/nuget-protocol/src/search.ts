import { registrationLeafUrl, registrationUrl } from "./addresses.ts";
import type { Hive } from "./document-key.ts";
import { parseDetails } from "./package-details.ts";
import { parsePackageVersion } from "./package-version.ts";
import type { PackageRecord } from "./ports.ts";
import type { SearchHit, SearchQuery } from "./search/ports.ts";

/** nuget.org's numbers. What is beyond them is clamped, never refused. */
const SKIP_MAX = 3000;
const TAKE_DEFAULT = 20;
const TAKE_MAX = 1000;
const TEXT_LENGTH_MAX = 256;

/** Reads the parameters of search and autocomplete; unknown ones are for newer servers. */
export function parseSearchQuery(parameters: URLSearchParams): SearchQuery {
  const packageType = textOf(parameters.get("packageType") ?? parameters.get("packageTypeFilter"));
  return {
    text: textOf(parameters.get("q")),
    skip: numberOf(parameters.get("skip"), { fallback: 0, max: SKIP_MAX }),
    take: numberOf(parameters.get("take"), { fallback: TAKE_DEFAULT, max: TAKE_MAX }),
    prerelease: parameters.get("prerelease")?.toLowerCase() === "true",
    semVer2: isSemVer2Level(parameters.get("semVerLevel")),
    ...(packageType !== "" && { packageType }),
  };
}

/** The answer to a search: one hit per id, described by its newest version. */
export function searchDocument(
  base: string,
  query: SearchQuery,
  found: { readonly totalHits: number; readonly hits: readonly SearchHit[] },
): object {
  const hive = query.semVer2 ? "semver2" : "semver1";
  return {
    totalHits: found.totalHits,
    data: found.hits.flatMap((hit) => {
      const newest = hit.versions.at(-1);
      return newest ? [hitObject({ base, hive }, hit, newest)] : [];
    }),
  };
}

/** The versions a client may complete to: listed, and passing the filters. */
export function autocompleteVersions(
  records: readonly PackageRecord[],
  { prerelease, semVer2 }: Pick<SearchQuery, "prerelease" | "semVer2">,
): readonly string[] {
  return records
    .filter((record) => record.listed)
    .filter((record) => prerelease || !record.isPrerelease)
    .filter((record) => semVer2 || !record.isSemVer2)
    .map((record) => record.version);
}

function hitObject(
  { base, hive }: { readonly base: string; readonly hive: Hive },
  { id, versions }: SearchHit,
  newest: PackageRecord,
): object {
  const lower = id.toLowerCase();
  const registration = registrationUrl(base, hive, lower);
  const details = parseDetails(newest);
  const types = (details.packageTypes ?? []).map(({ name }) => ({ name }));
  return {
    "@id": registration,
    "@type": "Package",
    registration,
    id: newest.id,
    version: newest.fullVersion,
    description: details.description ?? "",
    summary: details.summary ?? "",
    title: details.title ?? newest.id,
    iconUrl: details.iconUrl,
    licenseUrl: details.licenseUrl,
    projectUrl: details.projectUrl,
    tags: details.tags ?? [],
    authors: details.authors === undefined ? [] : [details.authors],
    totalDownloads: versions.reduce((sum, one) => sum + one.downloads, 0),
    verified: false,
    packageTypes: types.length > 0 ? types : [{ name: "Dependency" }],
    versions: versions.map((one) => ({
      version: one.fullVersion,
      downloads: one.downloads,
      "@id": registrationLeafUrl(base, { hive, id: lower, version: one.version.toLowerCase() }),
    })),
  };
}

/** Control characters mean nothing to a search, and some databases refuse them. */
function textOf(text: string | null): string {
  const printable = (text ?? "").replace(/\p{Cc}+/gu, " ").trim();
  return printable.slice(0, TEXT_LENGTH_MAX).toWellFormed();
}

function numberOf(
  text: string | null,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  if (text === null || !/^-?\d{1,15}$/.test(text.trim())) return fallback;
  return Math.min(Math.max(Number(text), 0), max);
}

function isSemVer2Level(text: string | null): boolean {
  const level = text === null ? undefined : parsePackageVersion(text);
  return level !== undefined && level.numbers[0] >= 2;
}
