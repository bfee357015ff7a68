import { contentUrl, registrationLeafUrl, registrationUrl } from "../addresses.ts";
import { advisoriesFor } from "../advisories/matching.ts";
import type { Advisory } from "../advisories/ports.ts";
import type { Hive } from "../document-key.ts";
import type { DependencyGroup } from "../manifest/nuspec-parts.ts";
import type { PackageDetails } from "../manifest/package-details.ts";
import { packageLinks, parseDetails } from "../manifest/package-details.ts";
import type { PackageVersion } from "../notation/package-version.ts";
import type { VersionSummary } from "../ports.ts";
import type { PackageRecord } from "../stored-package.ts";

/** A record, and its version as one to compare by. */
export type RecordedVersion<R extends VersionSummary = PackageRecord> = {
  readonly record: R;
  readonly version: PackageVersion;
};

/** Audience of a document, and known facts of its package. */
export type Shown = {
  readonly base: string;
  readonly hive: Hive;
  /** All that are about the package. */
  readonly advisories?: readonly Advisory[] | undefined;
};

/**
 * All fields of one version for clients. Undefined fields are absent in JSON, as clients expect for
 * missing texts and links.
 */
export function catalogEntry(shown: Shown, recordedVersion: RecordedVersion): object {
  const { record } = recordedVersion;
  const { leaf, content } = urlsOf(shown, recordedVersion);
  const details = parseDetails(record);
  return {
    "@id": leaf,
    "@type": "PackageDetails",
    id: record.id,
    version: record.fullVersion,
    listed: record.listed,
    // Unlisted versions keep their date: clients go by `listed`, and people want to know.
    published: record.publishedAt.toISOString(),
    ...texts(details),
    ...packageLinks(shown.base, record, details),
    packageContent: content,
    packageTypes: details.packageTypes,
    dependencyGroups: details.dependencyGroups.map((group) => dependencyGroup(shown, group)),
    deprecation: record.deprecation,
    vulnerabilities: vulnerabilities(recordedVersion, shown.advisories),
  };
}

export function urlsOf(
  { base, hive }: Shown,
  { record, version: { normalized } }: RecordedVersion<VersionSummary>,
) {
  const [id, version] = [record.id.toLowerCase(), normalized.toLowerCase()];
  return {
    leaf: registrationLeafUrl(base, { hive, id, version }),
    content: contentUrl(base, id, version),
    index: registrationUrl(base, hive, id),
  };
}

function texts(details: PackageDetails): object {
  return {
    authors: details.authors,
    title: details.title,
    description: details.description,
    summary: details.summary,
    tags: details.tags,
    projectUrl: details.projectUrl,
    licenseExpression: details.license?.type === "expression" ? details.license.text : undefined,
    language: details.language,
    minClientVersion: details.minClientVersion,
    requireLicenseAcceptance: details.requireLicenseAcceptance,
  };
}

function dependencyGroup({ base, hive }: Shown, group: DependencyGroup): object {
  return {
    targetFramework: group.targetFramework,
    dependencies: group.dependencies.map(({ id, range }) => ({
      id,
      range,
      registration: registrationUrl(base, hive, id.toLowerCase()),
    })),
  };
}

/** Here, unlike in search and in the pages for audits, a severity is a text. */
function vulnerabilities(
  { record, version }: RecordedVersion,
  advisories: readonly Advisory[] = [],
): readonly object[] | undefined {
  const own = advisoriesFor(version, advisories);
  const ownUrls = new Set(own.map(({ url }) => url));
  const others = (record.vulnerabilities ?? []).filter(({ url }) => !ownUrls.has(url));
  const matches = [...own, ...others];
  if (matches.length === 0) return undefined;
  return matches.map(({ url, severity }) => ({ advisoryUrl: url, severity: String(severity) }));
}
