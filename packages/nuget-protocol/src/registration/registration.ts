import { registrationPageUrl, registrationUrl } from "../addresses.ts";
import type { RecordedVersion, Shown } from "./catalog-entry.ts";
import { catalogEntry, urlsOf } from "./catalog-entry.ts";
import type { PackageVersion } from "../notation/package-version.ts";
import { comparePackageVersions, parsePackageVersion } from "../notation/package-version.ts";
import type { VersionSummary } from "../ports.ts";
import type { PackageRecord } from "../stored-package.ts";

/** The package of a document, its base address, and its kind of clients. */
export type Registration<R extends VersionSummary = PackageRecord> = Shown & {
  readonly records: readonly R[];
};

/** nuget.org's numbers: pages of 64, and below 128 versions everything in the index. */
const PAGE_SIZE = 64;
const INLINED_BELOW = 128;
/** A page of an older index may have grown since; what is far larger was never a page. */
const PAGE_VERSIONS_MAX = 4 * PAGE_SIZE;

/** The index of a package: pages of versions, inlined for all but the longest histories. */
export function registrationIndex(registration: Registration): object | undefined {
  const outline = registrationOutline(registration);
  if (outline) return outline;
  const pages = pagesOf(visibleVersions(registration));
  return indexObject(
    registration,
    pages.map((page) => describedPage(registration, page)),
  );
}

/** The index of a long history, which describes no version; undefined for a shorter one. */
export function registrationOutline(
  registration: Registration<VersionSummary>,
): object | undefined {
  const versions = visibleVersions(registration);
  if (versions.length < INLINED_BELOW) return undefined;
  return indexObject(
    registration,
    pagesOf(versions).map((page) => pageObject(registration, page)),
  );
}

/**
 * The versions from `lower` to `upper`, both included, in lookup form. With `isCurrent` the index
 * links to exactly this page; a client may also request a page of an index from half an hour ago.
 */
export function versionsOfPage(
  registration: Pick<Registration<VersionSummary>, "hive" | "records">,
  bounds: { readonly lower: PackageVersion; readonly upper: PackageVersion },
): { readonly versions: readonly string[]; readonly isCurrent: boolean } | undefined {
  const all = visibleVersions(registration);
  const page = all.filter(
    ({ version }) =>
      comparePackageVersions(version, bounds.lower) >= 0 &&
      comparePackageVersions(version, bounds.upper) <= 0,
  );
  if (page.length === 0 || page.length > PAGE_VERSIONS_MAX) return undefined;
  const isCurrent = pagesOf(all).some(
    (candidate) => candidate[0] === page[0] && candidate.at(-1) === page.at(-1),
  );
  return { versions: page.map(({ version }) => version.normalized.toLowerCase()), isCurrent };
}

/** One page, of the versions that `versionsOfPage` chose. */
export function registrationPage(registration: Registration): object | undefined {
  const page = visibleVersions(registration);
  return page.length === 0 ? undefined : describedPage(registration, page);
}

/**
 * One version, by its address; includes unlisted versions. It contains the details itself, and
 * `catalogEntry` is its own address: the catalog has no leaf for versions of package sources and
 * of views, and the leaf of a change may be an older state.
 */
export function registrationLeaf(
  registration: Registration,
  packageVersion: PackageVersion,
): object | undefined {
  const normal = packageVersion.normalized.toLowerCase();
  const records = registration.records.filter(({ version }) => version.toLowerCase() === normal);
  const [recordedVersion] = visibleVersions({ ...registration, records });
  if (!recordedVersion) return undefined;
  const { leaf, index } = urlsOf(registration, recordedVersion);
  return {
    ...catalogEntry(registration, recordedVersion),
    "@type": ["Package", "PackageDetails", "http://schema.nuget.org/catalog#Permalink"],
    catalogEntry: leaf,
    registration: index,
  };
}

/** Clients that know SemVer 1.0.0 only must not see what they cannot read. */
function visibleVersions<R extends VersionSummary>({
  hive,
  records,
}: Pick<Registration<R>, "hive" | "records">): readonly RecordedVersion<R>[] {
  return records
    .filter((record) => hive === "semver2" || !record.isSemVer2)
    .flatMap((record) => {
      const version = parsePackageVersion(record.version);
      return version ? [{ record, version }] : [];
    })
    .toSorted((a, b) => comparePackageVersions(a.version, b.version));
}

function pagesOf<T>(versions: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(versions.length / PAGE_SIZE);
  return Array.from({ length: count }, (_, page) =>
    versions.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE),
  );
}

function indexObject(
  { base, hive, records: [first] }: Registration<VersionSummary>,
  pages: readonly object[],
): object | undefined {
  if (!first || pages.length === 0) return undefined;
  return {
    "@id": registrationUrl(base, hive, first.id.toLowerCase()),
    "@type": ["catalog:CatalogRoot", "PackageRegistration", "catalog:Permalink"],
    count: pages.length,
    items: pages,
  };
}

function describedPage(registration: Registration, page: readonly RecordedVersion[]): object {
  return {
    ...pageObject(registration, page),
    items: page.map((version) => pageItem(registration, version)),
  };
}

function pageObject(
  { base, hive }: Shown,
  page: readonly RecordedVersion<VersionSummary>[],
): object {
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
  };
}

function pageItem(registration: Shown, version: RecordedVersion): object {
  const { leaf, content, index } = urlsOf(registration, version);
  return {
    "@id": leaf,
    "@type": "Package",
    catalogEntry: catalogEntry(registration, version),
    packageContent: content,
    registration: index,
  };
}
