import type { DependencyGroup } from "../manifest/nuspec-parts.ts";
import { parsePackageVersion } from "../notation/package-version.ts";
import type { DeprecationReason } from "../stored-package.ts";
import type { Deprecation } from "../stored-package.ts";
import {
  address,
  count,
  field,
  flag,
  isAbsent,
  items,
  malformed,
  optionalText,
  optionalTime,
  text,
} from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";
import type { Reader, ReadOptions, Revised, RevisedRead } from "./reader.ts";

/** A version as the registration of another feed describes it. */
export type RegisteredVersion = {
  /** In the author's casing. */
  readonly id: string;
  /** Normal form plus build metadata. */
  readonly version: string;
  readonly listed: boolean;
  /** Undefined where the feed does not tell: some write the year 1900 for unlisted versions. */
  readonly publishedAt?: Date;
  readonly deprecation?: Deprecation;
  readonly vulnerabilities: readonly { readonly url: string; readonly severity: number }[];
  readonly packageContent?: URL;
  /** The catalog leaf of the version, or its replacement. */
  readonly catalogEntry?: URL;
  readonly authors: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly texts: Readonly<Partial<Record<RegisteredText, string>>>;
  readonly requireLicenseAcceptance: boolean;
  /** Names. */
  readonly packageTypes: readonly string[];
  readonly dependencyGroups: readonly DependencyGroup[];
};

const TEXTS = [
  "title",
  "summary",
  "language",
  "projectUrl",
  "iconUrl",
  "licenseUrl",
  "licenseExpression",
  "readmeUrl",
  "minClientVersion",
] as const;

/** Names of texts that not every version has. */
export type RegisteredText = (typeof TEXTS)[number];

export type RegistrationLeaf = {
  readonly listed: boolean;
  readonly publishedAt?: Date;
  readonly packageContent?: URL;
};

const PAGES_MAX = 10_000;
const ITEMS_MAX = 100_000;
const LIST_MAX = 1_000;
/** The time that means "not listed". */
const NO_TIME_BEFORE = Date.UTC(1970, 0, 2);
const REASONS: readonly DeprecationReason[] = ["Legacy", "CriticalBugs", "Other"];

/** All versions, ascending, whether their pages are in the index or not; undefined for 404. */
export async function readRegistration(
  reader: Reader,
  index: URL,
  options: ReadOptions,
): Promise<readonly RegisteredVersion[] | undefined> {
  const document = await reader.json(index, options);
  return document && versionsOf(reader, document, options);
}

/** The same with the tag of the index, when that changes with each page. */
export async function revisedRegistration(
  reader: Reader,
  index: URL,
  options: RevisedRead,
): Promise<Revised<readonly RegisteredVersion[]> | undefined> {
  const found = await reader.revised(index, options);
  if (found?.status !== "found") return found;
  const { document, etag } = found;
  const value = await versionsOf(reader, document, { signal: options.signal });
  const isCovering = items(field(document, "items"), PAGES_MAX).every(
    (page) => !isAbsent(field(page, "items")) || !isAbsent(field(page, "commitTimeStamp")),
  );
  return { status: "found", value, ...(isCovering && etag !== undefined && { etag }) };
}

async function versionsOf(
  reader: Reader,
  document: JsonNode,
  options: ReadOptions,
): Promise<readonly RegisteredVersion[]> {
  const versions: RegisteredVersion[] = [];
  for (const page of items(field(document, "items"), PAGES_MAX)) {
    const whole = isAbsent(field(page, "items")) ? await linkedPage(reader, page, options) : page;
    for (const item of items(field(whole, "items"), ITEMS_MAX)) versions.push(versionOf(item));
    if (versions.length > ITEMS_MAX) throw malformed(document, `at most ${ITEMS_MAX} versions`);
  }
  return versions;
}

export function parseRegistrationLeaf(document: JsonNode): RegistrationLeaf {
  const publishedAt = publication(field(document, "published"));
  const content = field(document, "packageContent");
  return {
    listed: flag(field(document, "listed"), true),
    ...(publishedAt && { publishedAt }),
    ...(!isAbsent(content) && { packageContent: address(content) }),
  };
}

async function linkedPage(reader: Reader, page: JsonNode, options: ReadOptions): Promise<JsonNode> {
  const link = field(page, "@id");
  const document = await reader.json(address(link), options);
  if (!document) throw malformed(link, "the address of a page: it was answered 404");
  return document;
}

function versionOf(item: JsonNode): RegisteredVersion {
  const entry = field(item, "catalogEntry");
  const version = field(entry, "version");
  const parsed = parsePackageVersion(text(version));
  if (!parsed) throw malformed(version, "a version");
  const publishedAt = publication(field(entry, "published"));
  const deprecation = deprecationOf(field(entry, "deprecation"));
  const content = field(item, "packageContent");
  const leaf = field(entry, "@id");
  return {
    id: text(field(entry, "id")),
    version: parsed.full,
    listed: flag(field(entry, "listed"), true),
    ...(publishedAt && { publishedAt }),
    ...(deprecation && { deprecation }),
    vulnerabilities: items(field(entry, "vulnerabilities"), LIST_MAX).map((jsonNode) => ({
      url: text(field(jsonNode, "advisoryUrl")),
      severity: count(field(jsonNode, "severity")),
    })),
    ...(!isAbsent(content) && { packageContent: address(content) }),
    ...(!isAbsent(leaf) && URL.canParse(text(leaf)) && { catalogEntry: address(leaf) }),
    authors: textOrList(field(entry, "authors")).join(", "),
    description: optionalText(field(entry, "description")) ?? "",
    tags: textOrList(field(entry, "tags")),
    texts: textsOf(entry),
    requireLicenseAcceptance: flag(field(entry, "requireLicenseAcceptance"), false),
    packageTypes: items(field(entry, "packageTypes"), LIST_MAX).map((type) =>
      text(field(type, "name")),
    ),
    dependencyGroups: items(field(entry, "dependencyGroups"), LIST_MAX).map(dependencyGroupOf),
  };
}

export function textsOf(entry: JsonNode): RegisteredVersion["texts"] {
  const texts: Partial<Record<RegisteredText, string>> = {};
  for (const name of TEXTS) {
    const found = optionalText(field(entry, name));
    if (found !== undefined) texts[name] = found;
  }
  return texts;
}

function dependencyGroupOf(group: JsonNode): DependencyGroup {
  const targetFramework = optionalText(field(group, "targetFramework"));
  return {
    ...(targetFramework !== undefined && { targetFramework }),
    dependencies: items(field(group, "dependencies"), LIST_MAX).map((dependency) => ({
      id: text(field(dependency, "id")),
      range: optionalText(field(dependency, "range")) ?? "(, )",
    })),
  };
}

function publication(node: JsonNode): Date | undefined {
  const time = optionalTime(node);
  return time && time.getTime() >= NO_TIME_BEFORE ? time : undefined;
}

/** Undefined when the version is not deprecated; an unknown reason counts as `Other`. */
export function deprecationOf(node: JsonNode): Deprecation | undefined {
  if (isAbsent(node)) return undefined;
  const knownReasons = items(field(node, "reasons"), LIST_MAX).map(
    (jsonNode) =>
      REASONS.find((reason) => reason.toLowerCase() === text(jsonNode).toLowerCase()) ?? "Other",
  );
  const message = optionalText(field(node, "message"));
  const other = field(node, "alternatePackage");
  return {
    reasons: knownReasons.length > 0 ? [...new Set(knownReasons)] : ["Other"],
    ...(message !== undefined && { message }),
    ...(!isAbsent(other) && {
      alternatePackage: {
        id: text(field(other, "id")),
        range: optionalText(field(other, "range")) ?? "*",
      },
    }),
  };
}

/** Authors and tags are a text on some servers and a list on others. */
export function textOrList(node: JsonNode): readonly string[] {
  if (isAbsent(node)) return [];
  return Array.isArray(node.value) ? items(node, LIST_MAX).map(text) : [text(node)].filter(Boolean);
}
