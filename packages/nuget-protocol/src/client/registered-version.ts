import type { DependencyGroup } from "../manifest/nuspec-parts.ts";
import { parsePackageVersion } from "../notation/package-version.ts";
import type { Deprecation, DeprecationReason } from "../stored-package.ts";
import { entries, field, isAbsent, malformed, text } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";
import {
  lenientAddress,
  lenientCount,
  lenientField,
  lenientFlag,
  lenientItems,
  lenientText,
  lenientTexts,
  lenientTime,
} from "./lenient-fields.ts";

/** A version as the registration of another feed describes it. */
export type RegisteredVersion = {
  /** In the author's casing, where the feed tells. */
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

const LIST_MAX = 1_000;
/** The time that means "not listed". */
const NO_TIME_BEFORE = Date.UTC(1970, 0, 2);
const REASONS: readonly DeprecationReason[] = ["Legacy", "CriticalBugs", "Other"];

/**
 * Reads an item of a page of the registration of `id`. Only the version is required: feeds write
 * the other fields in several forms, or not at all.
 * @throws {NuGetClientError} `malformed`
 */
export function parseRegisteredVersion(item: JsonNode, id: string): RegisteredVersion {
  const entry = field(item, "catalogEntry");
  const version = field(entry, "version");
  const parsed = parsePackageVersion(text(version));
  if (!parsed) throw malformed(version, "a version");
  const publishedAt = publicationIn(field(entry, "published"));
  const deprecation = deprecationOf(field(entry, "deprecation"));
  const packageContent = lenientAddress(field(item, "packageContent"));
  const catalogEntry = lenientAddress(field(entry, "@id"));
  return {
    id: lenientText(field(entry, "id")) ?? id,
    version: parsed.full,
    listed: lenientFlag(field(entry, "listed"), true),
    ...(publishedAt && { publishedAt }),
    ...(deprecation && { deprecation }),
    vulnerabilities: lenientItems(field(entry, "vulnerabilities"), LIST_MAX).flatMap(vulnerability),
    ...(packageContent && { packageContent }),
    ...(catalogEntry && { catalogEntry }),
    ...describedBy(entry),
    requireLicenseAcceptance: lenientFlag(field(entry, "requireLicenseAcceptance"), false),
    packageTypes: lenientItems(field(entry, "packageTypes"), LIST_MAX).flatMap(
      // BaGet and BaGetter write names alone.
      (type) => lenientText(type) ?? lenientText(lenientField(type, "name")) ?? [],
    ),
    dependencyGroups: lenientItems(field(entry, "dependencyGroups"), LIST_MAX).map(dependencyGroup),
  };
}

/** The texts about a version, in a registration or a search result. */
export function describedBy(
  entry: JsonNode,
): Pick<RegisteredVersion, "authors" | "description" | "tags" | "texts"> {
  return {
    authors: lenientTexts(field(entry, "authors"), LIST_MAX).join(", "),
    description: lenientText(field(entry, "description")) ?? "",
    tags: lenientTexts(field(entry, "tags"), LIST_MAX),
    texts: textsOf(entry),
  };
}

/** Gitea writes `projectURL`: NuGet's own client ignores the case of names. */
function textsOf(entry: JsonNode): RegisteredVersion["texts"] {
  const byName = new Map(entries(entry).map(([name, node]) => [name.toLowerCase(), node]));
  return Object.fromEntries(
    TEXTS.flatMap((name) => {
      const node = byName.get(name.toLowerCase());
      const found = node && lenientText(node);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

/** Undefined where the feed tells no time, or hides it. */
export function publicationIn(node: JsonNode): Date | undefined {
  const time = lenientTime(node);
  return time && time.getTime() >= NO_TIME_BEFORE ? time : undefined;
}

function vulnerability(node: JsonNode): RegisteredVersion["vulnerabilities"] {
  const url = lenientText(lenientField(node, "advisoryUrl"));
  const severity = lenientCount(lenientField(node, "severity"));
  return url === undefined || severity === undefined ? [] : [{ url, severity }];
}

function dependencyGroup(group: JsonNode): DependencyGroup {
  const targetFramework = lenientText(lenientField(group, "targetFramework"));
  const dependencies = lenientItems(lenientField(group, "dependencies"), LIST_MAX);
  return {
    ...(targetFramework !== undefined && { targetFramework }),
    dependencies: dependencies.flatMap((dependency) => {
      const id = lenientText(lenientField(dependency, "id"));
      if (id === undefined) return [];
      // Some old leaves of nuget.org have a list of ranges, of which the first one counts.
      const [range = "(, )"] = lenientTexts(lenientField(dependency, "range"), LIST_MAX);
      return [{ id, range }];
    }),
  };
}

/** Undefined when the version is not deprecated; an unknown reason counts as `Other`. */
function deprecationOf(node: JsonNode): Deprecation | undefined {
  if (isAbsent(node) || typeof node.value !== "object" || Array.isArray(node.value))
    return undefined;
  const reasons = lenientTexts(field(node, "reasons"), LIST_MAX).map(
    (word) => REASONS.find((reason) => reason.toLowerCase() === word.toLowerCase()) ?? "Other",
  );
  const message = lenientText(field(node, "message"));
  const other = field(node, "alternatePackage");
  const otherId = lenientText(lenientField(other, "id"));
  return {
    reasons: reasons.length > 0 ? [...new Set(reasons)] : ["Other"],
    ...(message !== undefined && { message }),
    ...(otherId !== undefined && {
      alternatePackage: { id: otherId, range: lenientText(lenientField(other, "range")) ?? "*" },
    }),
  };
}
