import { registrationPageUrl, registrationUrl } from "./addresses.ts";
import type { RecordedVersion, Shown } from "./catalog-entry.ts";
import { catalogEntry, urlsOf } from "./catalog-entry.ts";
import type { PackageVersion } from "./package-version.ts";
import { comparePackageVersions, parsePackageVersion } from "./package-version.ts";
import type { PackageRecord } from "./ports.ts";

/** Whose documents, seen from which address, for which clients. */
export type Registration = Shown & { readonly records: readonly PackageRecord[] };

/** nuget.org's numbers: pages of 64, and below 128 versions everything in the index. */
const PAGE_SIZE = 64;
const INLINED_BELOW = 128;
/** A page of an older index may have grown since; what is far larger was never a page. */
const PAGE_VERSIONS_MAX = 4 * PAGE_SIZE;

/** The index of a package: pages of versions, inlined for all but the longest histories. */
export function registrationIndex(registration: Registration): object | undefined {
  const versions = visibleVersions(registration);
  const [first] = versions;
  if (!first) return undefined;
  const isInlined = versions.length < INLINED_BELOW;
  const pages = pagesOf(versions).map((page) => pageObject(registration, page, isInlined));
  return {
    "@id": urlsOf(registration, first).index,
    "@type": ["catalog:CatalogRoot", "PackageRegistration", "catalog:Permalink"],
    count: pages.length,
    items: pages,
  };
}

/**
 * The versions from `lower` to `upper`, both included. `isCurrent` tells that the index links to
 * just this page; a client may also ask for a page of the index it saw half an hour ago.
 */
export function registrationPage(
  registration: Registration,
  bounds: { readonly lower: PackageVersion; readonly upper: PackageVersion },
): { readonly document: object; readonly isCurrent: boolean } | undefined {
  const versions = visibleVersions(registration);
  const page = versions.filter(
    ({ version }) =>
      comparePackageVersions(version, bounds.lower) >= 0 &&
      comparePackageVersions(version, bounds.upper) <= 0,
  );
  if (page.length === 0 || page.length > PAGE_VERSIONS_MAX) return undefined;
  const isCurrent = pagesOf(versions).some(
    (one) => one[0] === page[0] && one.at(-1) === page.at(-1),
  );
  return { document: pageObject(registration, page, true), isCurrent };
}

/** One version; unlisted versions too, for whoever has its address. */
export function registrationLeaf(
  registration: Registration,
  wanted: PackageVersion,
): object | undefined {
  const normal = wanted.normalized.toLowerCase();
  const records = registration.records.filter(({ version }) => version.toLowerCase() === normal);
  const [found] = visibleVersions({ ...registration, records });
  if (!found) return undefined;
  const { leaf, content, index } = urlsOf(registration, found);
  return {
    "@id": leaf,
    "@type": ["Package", "http://schema.nuget.org/catalog#Permalink"],
    catalogEntry: leaf,
    listed: found.record.listed,
    packageContent: content,
    published: found.record.publishedAt.toISOString(),
    registration: index,
  };
}

/** Clients that know SemVer 1.0.0 only must not see what they cannot read. */
function visibleVersions({ hive, records }: Registration): readonly RecordedVersion[] {
  return records
    .filter((record) => hive === "semver2" || !record.isSemVer2)
    .flatMap((record) => {
      const version = parsePackageVersion(record.version);
      return version ? [{ record, version }] : [];
    })
    .toSorted((a, b) => comparePackageVersions(a.version, b.version));
}

function pagesOf(versions: readonly RecordedVersion[]): readonly (readonly RecordedVersion[])[] {
  const count = Math.ceil(versions.length / PAGE_SIZE);
  return Array.from({ length: count }, (_, page) =>
    versions.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE),
  );
}

function pageObject(
  registration: Registration,
  page: readonly RecordedVersion[],
  hasItems: boolean,
): object {
  const { base, hive } = registration;
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) throw new RangeError("a page has at least one version");
  const id = first.record.id.toLowerCase();
  const [lower, upper] = [first.version.normalized, last.version.normalized];
  const [from, to] = [lower.toLowerCase(), upper.toLowerCase()];
  return {
    "@id": registrationPageUrl(base, { hive, id, lower: from, upper: to }),
    "@type": "catalog:CatalogPage",
    count: page.length,
    lower,
    upper,
    parent: registrationUrl(base, hive, id),
    ...(hasItems && { items: page.map((version) => pageItem(registration, version)) }),
  };
}

function pageItem(registration: Registration, version: RecordedVersion): object {
  const { leaf, content, index } = urlsOf(registration, version);
  return {
    "@id": leaf,
    "@type": "Package",
    catalogEntry: catalogEntry(registration, version),
    packageContent: content,
    registration: index,
  };
}
