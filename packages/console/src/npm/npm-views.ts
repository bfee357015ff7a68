import type { NpmLookups } from "./npm-lookups.ts";
import type { From } from "../kit/page/shown-page.ts";
import type { NpmHit, NpmPackageAnswer, NpmPage, NpmQuery, NpmSearchAnswer } from "./model.ts";
import { isLinkable } from "../kit/links/npm-address.ts";
import type { NpmNamed } from "../kit/links/npm-address.ts";
import { ENTRIES_SHOWN_MAX } from "./npm-dependencies-card.ts";
import type { NpmPackagesPorts } from "./npm-packages-app.ts";
import type { PageOfVersions } from "../kit/packages/version-pages.ts";
import { refusalIn } from "../kit/refusals/refusal-page.ts";
import type { VersionHistory } from "../kit/page/model.ts";
import {
  matchAdvisories,
  nameLimitOf,
  parseOldPackageName,
  parsePackageVersion,
  parseSearchText,
} from "@sealhouse/npm-protocol";
import type {
  NameLimit,
  NpmSearchHit,
  NpmSearchQuality,
  NpmSummary,
  NpmVersionDetails,
} from "@sealhouse/npm-protocol";
import { createPageAuthorize } from "@sealhouse/identity";
import { describedByManifest } from "./described-manifest.ts";
import { provenanceState, signatureState } from "./npm-trust.ts";
import { partOf } from "../kit/packages/version-pages.ts";
import { nameLinksOf } from "../kit/links/name-links.ts";
import type { NameLinks } from "../kit/links/name-links.ts";
import { withheldOf } from "../kit/packages/withheld-versions.ts";

const NEAR_MAX = 5;
const DEPENDENTS_SHOWN = 20;
/** Text that clients send as the readme of a package without one. */
const NO_README = "ERROR: No README data found!";

/** Restricts lists to the names that the caller may read. */
type LimitOf = () => Promise<NameLimit>;

/** Provides the data of the npm pages. A page shows only what the same caller may install. */
export function npmPackagesPorts(lookups: NpmLookups): NpmPackagesPorts {
  const authorize = createPageAuthorize(lookups.rules, "npm");
  const verdict = ({ request, env }: From, name?: string) =>
    authorize(request, env, { action: "read", ...(name !== undefined && { name }) });
  const limitOf =
    (from: From): LimitOf =>
    async () => {
      const answer = await verdict(from);
      return answer.status === "granted" ? nameLimitOf(answer) : { names: [] };
    };
  return {
    site: lookups.site,
    async search(from, query) {
      const answer = await verdict(from);
      return refusalIn(answer) ?? searchAnswer(lookups, await limitOf(from)(), query);
    },
    async page(from, target) {
      const answer = await verdict(from, parseOldPackageName(target.name));
      if (answer.status === "absent") {
        const near = await nearNames(lookups, limitOf(from), target.name);
        return { status: "absent", near, withheld: [] };
      }
      const shown = refusalIn(answer) ?? (await pageAnswer(lookups, limitOf(from), target));
      if (shown.status !== "found") return shown;
      const name = { protocol: "npm", name: shown.page.name } as const;
      const isManaged = (await lookups.managesName?.(from, name)) ?? false;
      return { ...shown, page: { ...shown.page, isManaged } };
    },
  };
}

async function searchAnswer(
  { npm }: NpmLookups,
  callerLimit: NameLimit,
  query: NpmQuery,
): Promise<NpmSearchAnswer> {
  const { skip: from, take: size } = query;
  const filter = parseSearchText(query.text);
  const without = new Set(filter.without ?? []);
  // The query `is:deprecated` takes precedence over the filters of the form.
  const isWanted = (what: NpmSearchQuality) => filter.only?.includes(what) ?? false;
  if (!query.deprecated && !isWanted("deprecated")) without.add("deprecated");
  if (!query.unstable && !isWanted("unstable")) without.add("unstable");
  const limit = nameLimitOf(callerLimit);
  const npmSearch = { ...filter, ...limit, without: [...without], from, size };
  const { total: totalHits, hits } = await npm.search.search(npmSearch);
  return { status: "found", totalHits, hits: hits.map(hitOf) };
}

function hitOf(hit: NpmSearchHit): NpmHit {
  const { name, version, description, keywords, publishedAt, maintainers = [] } = hit;
  return {
    name,
    version,
    description,
    keywords,
    maintainers: maintainers.map((maintainer) => maintainer.name),
    publishedAt,
    isPrerelease: isPrerelease(version),
    deprecated: isSaid(hit.deprecated),
  };
}

async function pageAnswer(
  lookups: NpmLookups,
  limitOf: LimitOf,
  target: NpmNamed & { readonly versions: PageOfVersions },
): Promise<NpmPackageAnswer> {
  const { history } = lookups.npm;
  const name = parseOldPackageName(target.name);
  const summary = name && (await history.summary(name));
  const version = summary && (await versionOf(lookups, summary, target.version));
  const details = version && (await history.version(summary.name, version));
  const withheld = name === undefined ? [] : await withheldOf(lookups.withheld, name);
  if (!details) {
    return {
      status: "absent",
      near: await nearNames(lookups, limitOf, target.name),
      withheld: withheld.filter(({ version: number }) => number === (target.version ?? number)),
    };
  }
  const lines = await historyOf(lookups, summary, target.versions);
  const page = await pageOf(lookups, limitOf, { summary, details, lines });
  return { status: "found", page: { ...page, withheld } };
}

/** Resolves a version or dist-tag; by default `latest`, else the newest version. */
async function versionOf(
  { npm }: NpmLookups,
  { name, distTags }: NpmSummary,
  requestedVersion: string | undefined,
): Promise<string | undefined> {
  const tag = requestedVersion ?? "latest";
  if (Object.hasOwn(distTags, tag)) return distTags[tag];
  if (requestedVersion !== undefined) return parsePackageVersion(requestedVersion);
  const [newest] = await npm.history.newest(name, { from: 0, size: 1 });
  return newest?.version;
}

async function historyOf(
  { npm }: NpmLookups,
  { name, versionCount, distTags }: NpmSummary,
  page: PageOfVersions,
): Promise<VersionHistory> {
  const { from, number, last } = partOf(versionCount, page);
  const { history, advisories } = npm;
  const lines = await history.newest(name, { from, size: page.size });
  const packageAdvisories = (await advisories.of([name])).get(name) ?? [];
  const worst = new Map<string, NpmPage["advisories"][number]["severity"]>();
  // Advisories are sorted by severity, highest first.
  for (const { advisory, versions } of matchAdvisories(
    name,
    packageAdvisories,
    lines.map(versionOfLine),
  )) {
    for (const version of versions) if (!worst.has(version)) worst.set(version, advisory.severity);
  }
  const tags = Object.groupBy(Object.keys(distTags), (tag) => distTags[tag] ?? "");
  return {
    number,
    last,
    lines: lines.map((line) => ({
      version: line.version,
      publishedAt: line.publishedAt,
      downloads: line.downloads,
      size: line.unpackedSize,
      tags: tags[line.version] ?? [],
      listed: true,
      isPrerelease: isPrerelease(line.version),
      deprecated: isSaid(line.deprecated),
      severity: worst.get(line.version),
    })),
  };
}

function versionOfLine({ version }: { readonly version: string }): string {
  return version;
}

type VersionSources = {
  readonly summary: NpmSummary;
  readonly details: NpmVersionDetails;
  readonly lines: VersionHistory;
};

async function pageOf(
  lookups: NpmLookups,
  limitOf: LimitOf,
  { summary, details, lines }: VersionSources,
): Promise<NpmPage> {
  const { name, distTags, readme, maintainers = [] } = summary;
  const { version, deprecated } = details;
  const { advisories } = lookups.npm;
  const packageAdvisories = (await advisories.of([name])).get(name) ?? [];
  const hasReadme = readme !== undefined && readme.trim() !== "" && readme !== NO_README;
  const described = describedByManifest(details.manifest);
  return {
    ...described,
    links: await linksOf(lookups, limitOf, described.dependencies),
    name,
    version,
    tags: Object.entries(distTags)
      .map(([tag, target]) => ({ tag, version: target }))
      .toSorted((a, b) => Number(b.tag === "latest") - Number(a.tag === "latest")),
    maintainers: maintainers.map((maintainer) => maintainer.name),
    publishedAt: details.publishedAt,
    publishedBy: details.publishedBy,
    isPrerelease: isPrerelease(version),
    deprecated: isSaid(deprecated) ? deprecated : undefined,
    advisories: matchAdvisories(name, packageAdvisories, [version]).map(({ advisory }) => advisory),
    downloads: details.downloads,
    size: details.size,
    unpackedSize: details.unpackedSize,
    fileCount: details.fileCount,
    integrity: details.integrity,
    dependents: await dependentsOf(lookups, limitOf, name),
    signature: await signatureState(lookups, name, details),
    provenance: await provenanceState(lookups, name, version),
    readme: hasReadme ? { status: "text", text: readme } : { status: "none" },
    history: lines,
  };
}

async function linksOf(
  { places }: NpmLookups,
  limitOf: LimitOf,
  groups: NpmPage["dependencies"],
): Promise<NameLinks> {
  const entries = groups.flatMap((group) => group.entries.slice(0, ENTRIES_SHOWN_MAX));
  const names = entries.map(({ name, target = name }) => target).filter(isLinkable);
  return nameLinksOf(places, { protocol: "npm", limit: await limitOf() }, names);
}

async function dependentsOf(
  { npm }: NpmLookups,
  limitOf: LimitOf,
  name: string,
): Promise<NpmPage["dependents"]> {
  const page = { ...(await limitOf()), from: 0, size: DEPENDENTS_SHOWN };
  const { total: totalHits, names } = await npm.dependents.dependents(name, page);
  return { totalHits, names };
}

/** Similar names: search results for the last part of the name or for its first word. */
async function nearNames(
  { npm }: NpmLookups,
  limitOf: LimitOf,
  name: string,
): Promise<readonly string[]> {
  const base = name.slice(name.lastIndexOf("/") + 1).slice(0, 214);
  const [word = ""] = base.split(/[.\-_]/);
  const limit = await limitOf();
  for (const text of new Set([base, word])) {
    const page = { from: 0, size: NEAR_MAX, totalMax: NEAR_MAX };
    const { hits } =
      text.trim() === ""
        ? { hits: [] }
        : await npm.search.search({ ...limit, ...page, text: text.toWellFormed() });
    if (hits.length > 0) return hits.map((hit) => hit.name);
  }
  return [];
}

function isPrerelease(version: string): boolean {
  return version.includes("-");
}

/** An empty message means that the version is no longer deprecated. */
function isSaid(deprecated: string | undefined): deprecated is string {
  return deprecated !== undefined && deprecated !== "";
}
