import {
  advisoriesFor,
  idLimitOf,
  isPackageId,
  lowerId,
  lowerVersion,
  parseDetails,
  parseSearchQuery,
  isNuGetError,
} from "@sealhouse/nuget-protocol";
import type {
  Advisory,
  IdLimit,
  PackageDetails,
  PackageRecord,
  SearchHit,
  StoredPackage,
  VersionSummary,
} from "@sealhouse/nuget-protocol";
import { createPageAuthorize } from "@sealhouse/identity";
import type { NuGetLookups, PackageFiles } from "./nuget-lookups.ts";
import type { From } from "../kit/page/shown-page.ts";
import type {
  LicenseAnswer,
  PackageAnswer,
  PackageHit,
  PackagePage,
  PackageQuery,
  PackageSearchAnswer,
} from "./model.ts";
import type { PackagesPorts } from "./packages-app.ts";
import type { PageOfVersions } from "../kit/packages/version-pages.ts";
import type { ReadmeText } from "../readme/readme-text.ts";
import { refusalIn } from "../kit/refusals/refusal-page.ts";
import type { Severity, VersionHistory } from "../kit/page/model.ts";
import { nameLinksOf } from "../kit/links/name-links.ts";
import { withheldOf } from "../kit/packages/withheld-versions.ts";
import { partOf } from "../kit/packages/version-pages.ts";

type NamedPage = Parameters<PackagesPorts["page"]>[1];

const NEAR_MAX = 5;
const DEPENDENTS_SHOWN = 20;

/** Provides the data of the NuGet pages. A page shows only what the same caller may read. */
export function packagesPorts(lookups: NuGetLookups): PackagesPorts {
  const { rules } = lookups;
  const authorize = createPageAuthorize(rules, "nuget");
  const verdict = (from: From, id?: string) => {
    const name = id !== undefined && isPackageId(id) ? { name: lowerId(id) } : {};
    return authorize(from.request, from.env, { action: "read", ...name });
  };
  const limitOf = async (from: From): Promise<IdLimit> => {
    const answer = await verdict(from);
    return answer.status === "granted" ? idLimitOf(answer) : { names: [] };
  };
  return {
    site: lookups.site,
    async search(from, query) {
      const answer = await verdict(from);
      return refusalIn(answer) ?? searchAnswer(lookups, await limitOf(from), query);
    },
    async page(from, target) {
      const answer = await verdict(from, target.id);
      const limit = await limitOf(from);
      if (answer.status === "absent") {
        return { status: "absent", near: await nearIds(lookups, limit, target.id), withheld: [] };
      }
      const shown = refusalIn(answer) ?? (await pageAnswer(lookups, limit, target));
      if (shown.status !== "found") return shown;
      const name = { protocol: "nuget", name: shown.page.id } as const;
      const isManaged = (await lookups.managesName?.(from, name)) ?? false;
      return { ...shown, page: { ...shown.page, isManaged } };
    },
    async license(from, target) {
      const answer = await verdict(from, target.id);
      const limit = await limitOf(from);
      if (answer.status === "absent") {
        return { status: "absent", near: await nearIds(lookups, limit, target.id) };
      }
      return refusalIn(answer) ?? licenseAnswer(lookups, limit, target);
    },
  };
}

async function searchAnswer(
  { nuget }: NuGetLookups,
  limit: IdLimit,
  query: PackageQuery,
): Promise<PackageSearchAnswer> {
  const { text, prerelease, packageType, framework, skip, take } = query;
  if (!(await isFramework(framework))) {
    const problem = `Unknown framework "${framework}". Use a name like net8.0 or netstandard2.0.`;
    return { status: "invalid", problem };
  }
  const parameters = new URLSearchParams({
    q: text,
    prerelease: String(prerelease),
    semVerLevel: "2.0.0",
    packageType,
    framework,
    skip: String(skip),
    take: String(take),
  });
  const { totalHits, hits } = await nuget.search.search({
    ...parseSearchQuery(parameters),
    ...idLimitOf(limit),
  });
  const advisories = await nuget.advisories.of(hits.map(({ id }) => lowerId(id)));
  return {
    status: "found",
    totalHits,
    hits: hits.map((hit) => hitOf(hit, advisories.get(lowerId(hit.id)) ?? [])),
  };
}

/** Loads the list of frameworks on first use. */
async function isFramework(text: string): Promise<boolean> {
  if (text === "") return true;
  const { isTargetFramework } = await import("@sealhouse/nuget-protocol/package");
  return isTargetFramework(text);
}

function hitOf(hit: SearchHit, advisories: readonly Advisory[]): PackageHit {
  const { newest, versions, owners } = hit;
  const { title, description, authors, tags, icon, packageTypes } = parseDetails(newest);
  return {
    id: newest.id,
    version: newest.version,
    title,
    description,
    authors,
    owners,
    tags,
    hasIcon: icon !== undefined,
    downloads: versions.reduce((sum, version) => sum + version.downloads, 0),
    publishedAt: newest.publishedAt,
    isPrerelease: newest.isPrerelease,
    packageTypes: packageTypes.map(({ name }) => name),
    deprecated: newest.deprecation !== undefined,
    severity: worstOf(advisoriesFor(newest.version, advisories)),
  };
}

async function pageAnswer(
  lookups: NuGetLookups,
  limit: IdLimit,
  { id, version, versions }: NamedPage,
): Promise<PackageAnswer> {
  const { lookup } = lookups.nuget;
  const lower = isPackageId(id) ? lowerId(id) : undefined;
  const summaries = lower === undefined ? [] : await lookup.summaries(lower);
  const chosen = version === undefined ? shownFirst(summaries) : summaryOf(summaries, version);
  const number = chosen?.version.toLowerCase();
  const isKnown = lower !== undefined && number !== undefined;
  const storedPackage = isKnown && (await lookup.find(lower, number));
  const [record] = isKnown ? await lookup.versions(lower, [number]) : [];
  const withheld = lower === undefined ? [] : await withheldOf(lookups.withheldNuGet, lower);
  if (!storedPackage || !record) {
    const wanted = version === undefined ? undefined : lowerVersion(version);
    return {
      status: "absent",
      near: await nearIds(lookups, limit, id),
      withheld: withheld.filter((other) => other.version === (wanted ?? other.version)),
    };
  }
  const page = await pageOf(lookups, { record, summaries, versions, storedPackage, limit });
  return { status: "found", page: { ...page, withheld } };
}

async function licenseAnswer(
  lookups: NuGetLookups,
  limit: IdLimit,
  { id, version }: { readonly id: string; readonly version: string },
): Promise<LicenseAnswer> {
  const normal = lowerVersion(version);
  const isName = isPackageId(id) && normal !== undefined;
  const storedPackage = isName && (await lookups.nuget.lookup.find(lowerId(id), normal));
  if (!storedPackage) return { status: "absent", near: await nearIds(lookups, limit, id) };
  const license = await readEmbeddedText(lookups.packageFiles, storedPackage, "license");
  return { status: "found", id: storedPackage.id, version: storedPackage.version, license };
}

/** The newest listed stable version, else the newest listed version, else the newest. */
function shownFirst(summaries: readonly VersionSummary[]): VersionSummary | undefined {
  const listed = summaries.filter((summary) => summary.listed);
  return listed.findLast((summary) => !summary.isPrerelease) ?? listed.at(-1) ?? summaries.at(-1);
}

function summaryOf(
  summaries: readonly VersionSummary[],
  version: string,
): VersionSummary | undefined {
  const normal = lowerVersion(version);
  return summaries.find((summary) => summary.version.toLowerCase() === normal);
}

/** Similar ids: search results for the whole name or for its first word. */
async function nearIds(
  { nuget }: NuGetLookups,
  limit: IdLimit,
  id: string,
): Promise<readonly string[]> {
  const [first = ""] = id.split(/[.\-_]/);
  for (const q of new Set([id, first])) {
    const parameters = { q, prerelease: "true", semVerLevel: "2.0.0", take: String(NEAR_MAX) };
    const query = { ...parseSearchQuery(new URLSearchParams(parameters)), ...limit };
    const { hits } = q.trim() === "" ? { hits: [] } : await nuget.search.search(query);
    if (hits.length > 0) return hits.map((hit) => hit.id);
  }
  return [];
}

type VersionSources = {
  readonly record: PackageRecord;
  /** All versions of the package, ascending. */
  readonly summaries: readonly VersionSummary[];
  readonly versions: PageOfVersions;
  readonly storedPackage: StoredPackage;
  /** Restricts lists to the packages that the caller may read. */
  readonly limit: IdLimit;
};

async function pageOf(
  lookups: NuGetLookups,
  { record, summaries, versions, storedPackage, limit }: VersionSources,
): Promise<PackagePage> {
  const { advisories, search, totals } = lookups.nuget;
  const lower = lowerId(record.id);
  const { downloads: allDownloads, publishers } = await totals.of(lower);
  const packageAdvisories = (await advisories.of([lower])).get(lower) ?? [];
  const details = parseDetails(record);
  const groups = details.dependencyGroups;
  const { alternatePackage } = record.deprecation ?? {};
  const named = groups.flatMap(({ dependencies }) => dependencies.map(({ id }) => lowerId(id)));
  if (alternatePackage) named.push(lowerId(alternatePackage.id));
  const page = { skip: 0, take: DEPENDENTS_SHOWN, ...limit };
  return {
    ...described(details),
    id: record.id,
    version: record.version,
    fullVersion: record.fullVersion,
    isPrerelease: record.isPrerelease,
    listed: record.listed,
    publishedAt: record.publishedAt,
    downloads: record.downloads,
    size: record.size,
    allDownloads,
    owners: publishers,
    signature: await signatureOf(lookups, storedPackage),
    deprecation: record.deprecation,
    advisories: advisoriesFor(record.version, packageAdvisories),
    frameworks: [...new Set(groups.flatMap((group) => group.targetFramework ?? []))],
    links: await nameLinksOf(lookups.nugetPlaces, { protocol: "nuget", limit }, named),
    dependents: await search.dependents(lower, page),
    readme: await readmeOf(lookups, storedPackage, details),
    history: await historyOf(lookups, { summaries, versions, packageAdvisories }),
    newer: newerThan(record, summaries),
  };
}

/** Loads details only for the versions of one page. */
async function historyOf(
  { nuget }: NuGetLookups,
  of: Pick<VersionSources, "summaries" | "versions"> & {
    readonly packageAdvisories: readonly Advisory[];
  },
): Promise<VersionHistory> {
  const { summaries, versions, packageAdvisories } = of;
  const { from, number, last } = partOf(summaries.length, versions);
  const end = summaries.length - from;
  const shown = summaries.slice(Math.max(0, end - versions.size), end);
  const lower = lowerId(shown[0]?.id ?? "");
  const numbers = shown.map(({ version }) => version.toLowerCase());
  const records = await nuget.lookup.versions(lower, numbers);
  return {
    number,
    last,
    lines: records.toReversed().map((record) => ({
      version: record.version,
      publishedAt: record.publishedAt,
      downloads: record.downloads,
      size: record.size,
      listed: record.listed,
      isPrerelease: record.isPrerelease,
      deprecated: record.deprecation !== undefined,
      severity: worstOf(advisoriesFor(record.version, packageAdvisories)),
    })),
  };
}

/** Returns the newest listed version of at least equal stability; undefined when none is newer. */
function newerThan(
  { version, isPrerelease }: PackageRecord,
  summaries: readonly VersionSummary[],
): PackagePage["newer"] {
  const there = summaries.findLastIndex(
    (summary) => summary.listed && (!summary.isPrerelease || isPrerelease),
  );
  const here = summaries.findIndex((summary) => summary.version === version);
  return there > here ? summaries[there] : undefined;
}

/** Display fields of the nuspec. */
function described(details: PackageDetails) {
  const { license, licenseUrl } = details;
  return {
    title: details.title,
    description: details.description,
    authors: details.authors,
    tags: details.tags,
    hasIcon: details.icon !== undefined,
    packageTypes: details.packageTypes.map(({ name }) => name),
    developmentDependency: details.developmentDependency,
    dependencyGroups: details.dependencyGroups,
    projectUrl: details.projectUrl,
    repository: details.repository,
    releaseNotes: details.releaseNotes,
    copyright: details.copyright,
    minClientVersion: details.minClientVersion,
    license: license ? licenseOf(license) : webLicense(licenseUrl),
  };
}

function licenseOf({ type, text }: NonNullable<PackageDetails["license"]>): PackagePage["license"] {
  return type === "file" ? { type } : { type, text };
}

function webLicense(url: string | undefined): PackagePage["license"] {
  return url === undefined ? undefined : { type: "url", url };
}

async function readmeOf(
  { packageFiles }: NuGetLookups,
  storedPackage: StoredPackage,
  { readme }: PackageDetails,
): Promise<ReadmeText> {
  if (readme === undefined) return { status: "none" };
  return readEmbeddedText(packageFiles, storedPackage, "readme");
}

async function signatureOf(
  { signsPackages, nuget }: NuGetLookups,
  { seal }: StoredPackage,
): Promise<PackagePage["signature"]> {
  if (!seal || !signsPackages) return undefined;
  const { fingerprint, signedAt } = seal;
  const certificate = await nuget.certificates.find(fingerprint);
  return { fingerprint, signedAt, subject: certificate?.subject };
}

function worstOf(advisories: readonly Advisory[]): Severity | undefined {
  return advisories
    .map(({ severity }) => severity)
    .toSorted((severity, other) => other - severity)[0];
}

/** Reads a text file of a stored package. Loads the archive reader on first use. */
async function readEmbeddedText(
  files: PackageFiles,
  { blob, nuspec }: StoredPackage,
  kind: "readme" | "license",
): Promise<ReadmeText> {
  const { readEmbeddedFile } = await import("@sealhouse/nuget-protocol/package");
  const source = {
    size: blob.size,
    read: (range?: { start: number; end: number }) => files.read(blob.key, range),
  };
  try {
    const file = await readEmbeddedFile(source, nuspec, kind);
    if (!file) return { status: "none" };
    return { status: "text", text: new TextDecoder().decode(file.bytes) };
  } catch (error) {
    if (!isNuGetError(error)) throw error;
    return { status: "unreadable", reason: error.problems.join(" ") };
  }
}
