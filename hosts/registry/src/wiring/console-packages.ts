import type {
  From,
  LicenseAnswer,
  PackageAnswer,
  PackageHit,
  PackagePage,
  PackageQuery,
  PackageSearchAnswer,
  PackagesPorts,
  ReadmeText,
  Refusal,
  Severity,
} from "@sealhouse/console";
import {
  advisoriesFor,
  isPackageId,
  lowerId,
  lowerVersion,
  parseDetails,
  parseSearchQuery,
} from "@sealhouse/nuget-protocol";
import type {
  Advisory,
  PackageDetails,
  PackageRecord,
  SearchHit,
  StoredPackage,
} from "@sealhouse/nuget-protocol";
import { packageAuthorize } from "../http/authorize.ts";
import { VERSION } from "../version.ts";
import { readEmbeddedText } from "./embedded-text.ts";
import type { Parts } from "./parts.ts";

export type ConsoleParts = Pick<Parts, "config" | "database" | "blobs" | "rules">;

const NEAR_MAX = 5;
const DEPENDENTS_SHOWN = 20;

/** What the pages of packages show, under the rule that the feed itself is read by. */
export function packagesPorts(parts: ConsoleParts): PackagesPorts {
  const { config, rules } = parts;
  const authorize = packageAuthorize(rules, "nuget");
  const refusal = async (from: From, id?: string): Promise<Refusal | undefined> => {
    const name = id !== undefined && isPackageId(id) ? { name: lowerId(id) } : {};
    const verdict = await authorize(from.request, from.env, { action: "read", ...name });
    return verdict.status === "granted" ? undefined : verdict;
  };
  return {
    site: (request, env) => ({
      name: config.host.serverName,
      version: VERSION,
      address: rules.contexts.of(request, env).publicAddress.base,
      now: rules.now(),
      anonymousRead: config.feed.anonymousPull,
    }),
    search: async (from, query) => (await refusal(from)) ?? searchAnswer(parts, query),
    page: async (from, { id, version }) =>
      (await refusal(from, id)) ?? pageAnswer(parts, id, version),
    license: async (from, { id, version }) =>
      (await refusal(from, id)) ?? licenseAnswer(parts, id, version),
  };
}

async function searchAnswer(
  { database }: ConsoleParts,
  query: PackageQuery,
): Promise<PackageSearchAnswer> {
  const { text, prerelease, packageType, framework, skip, take } = query;
  if (!(await isFramework(framework))) {
    const problem = `No framework is called ${framework}. Names are like net8.0 or netstandard2.0.`;
    return { status: "invalid", problem };
  }
  const asked = new URLSearchParams({
    q: text,
    prerelease: String(prerelease),
    semVerLevel: "2.0.0",
    packageType,
    framework,
    skip: String(skip),
    take: String(take),
  });
  const { totalHits, hits } = await database.nuget.search.search(parseSearchQuery(asked));
  const advisories = await database.nuget.advisories.of(hits.map(({ id }) => lowerId(id)));
  return {
    status: "found",
    totalHits,
    hits: hits.map((hit) => hitOf(hit, advisories.get(lowerId(hit.id)) ?? [])),
  };
}

/** What knows their names is loaded when one is asked for. */
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
    downloads: versions.reduce((sum, one) => sum + one.downloads, 0),
    publishedAt: newest.publishedAt,
    isPrerelease: newest.isPrerelease,
    packageTypes: packageTypes.map(({ name }) => name),
    deprecated: newest.deprecation !== undefined,
    severity: worstOf(advisoriesFor(newest.version, advisories)),
  };
}

async function pageAnswer(
  parts: ConsoleParts,
  id: string,
  version: string | undefined,
): Promise<PackageAnswer> {
  const { lookup } = parts.database.nuget;
  const records = isPackageId(id) ? await lookup.versions(lowerId(id)) : [];
  const record = version === undefined ? shownFirst(records) : recordOf(records, version);
  const found = record && (await lookup.find(lowerId(id), record.version.toLowerCase()));
  if (!found) return { status: "absent", near: await nearIds(parts, id) };
  return { status: "found", page: await pageOf(parts, { record, records, found }) };
}

async function licenseAnswer(
  parts: ConsoleParts,
  id: string,
  version: string,
): Promise<LicenseAnswer> {
  const normal = lowerVersion(version);
  const isName = isPackageId(id) && normal !== undefined;
  const found = isName && (await parts.database.nuget.lookup.find(lowerId(id), normal));
  if (!found) return { status: "absent", near: await nearIds(parts, id) };
  const license = await readEmbeddedText(parts.blobs.nuget, found, "license");
  return { status: "found", id: found.id, version: found.version, license };
}

/** The newest listed stable version, or else what comes nearest to it. */
function shownFirst(records: readonly PackageRecord[]): PackageRecord | undefined {
  const listed = records.filter((record) => record.listed);
  return listed.findLast((record) => !record.isPrerelease) ?? listed.at(-1) ?? records.at(-1);
}

function recordOf(records: readonly PackageRecord[], version: string): PackageRecord | undefined {
  const normal = lowerVersion(version);
  return records.find((record) => record.version.toLowerCase() === normal);
}

/** Ids that somebody may have meant: those with the words of the whole name, or of its first. */
async function nearIds({ database }: ConsoleParts, id: string): Promise<readonly string[]> {
  const [first = ""] = id.split(/[.\-_]/);
  for (const q of new Set([id, first])) {
    const asked = { q, prerelease: "true", semVerLevel: "2.0.0", take: String(NEAR_MAX) };
    const query = parseSearchQuery(new URLSearchParams(asked));
    const { hits } = q.trim() === "" ? { hits: [] } : await database.nuget.search.search(query);
    if (hits.length > 0) return hits.map((hit) => hit.id);
  }
  return [];
}

type Found = {
  readonly record: PackageRecord;
  readonly records: readonly PackageRecord[];
  readonly found: StoredPackage;
};

async function pageOf(
  parts: ConsoleParts,
  { record, records, found }: Found,
): Promise<PackagePage> {
  const { advisories, search } = parts.database.nuget;
  const lower = lowerId(record.id);
  const known = (await advisories.of([lower])).get(lower) ?? [];
  const details = parseDetails(record);
  const groups = details.dependencyGroups;
  const page = { skip: 0, take: DEPENDENTS_SHOWN };
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
    owners: [...new Set(records.map((one) => one.publishedBy))].filter((name) => name !== ""),
    signature: await signatureOf(parts, found),
    deprecation: record.deprecation,
    advisories: advisoriesFor(record.version, known),
    frameworks: [...new Set(groups.flatMap((group) => group.targetFramework ?? []))],
    dependents: await search.dependents(lower, page),
    readme: await readmeOf(parts, found, details),
    versions: records.toReversed().map((one) => ({
      version: one.version,
      publishedAt: one.publishedAt,
      downloads: one.downloads,
      size: one.size,
      listed: one.listed,
      isPrerelease: one.isPrerelease,
      deprecated: one.deprecation !== undefined,
      severity: worstOf(advisoriesFor(one.version, known)),
    })),
  };
}

/** What the manifest says. */
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
  { blobs }: ConsoleParts,
  found: StoredPackage,
  { readme }: PackageDetails,
): Promise<ReadmeText> {
  if (readme === undefined) return { status: "none" };
  return readEmbeddedText(blobs.nuget, found, "readme");
}

/** A seal of an earlier time is not served while signing is off. */
async function signatureOf(
  { config, database }: ConsoleParts,
  { seal }: StoredPackage,
): Promise<PackagePage["signature"]> {
  if (!seal || config.signing.mode === "off") return undefined;
  const { fingerprint, signedAt } = seal;
  const certificate = await database.nuget.certificates.find(fingerprint);
  return { fingerprint, signedAt, subject: certificate?.subject };
}

function worstOf(advisories: readonly Advisory[]): Severity | undefined {
  return advisories.map(({ severity }) => severity).toSorted((one, other) => other - one)[0];
}
