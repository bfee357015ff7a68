import { isJsonObject } from "./json-value.ts";
import type { JsonObject } from "./json-value.ts";
import { isDependencyId } from "./notation/package-id.ts";
import { lowerVersion } from "./notation/package-version.ts";
import type { Deprecation, DeprecationReason } from "./stored-package.ts";
import { formatVersionRange, parseVersionRange } from "./notation/version-range.ts";

/** A parsed request to deprecate versions, or to remove the deprecation. */
export type DeprecationRequest = {
  /** Lower-cased normal forms. */
  readonly versions: readonly string[] | "all";
  /** Undefined lifts it. */
  readonly deprecation: Deprecation | undefined;
};

/** A parsed request, or its faults as sentences. */
export type DeprecationRequestOutcome =
  | { readonly status: "read"; readonly request: DeprecationRequest }
  | { readonly status: "invalid"; readonly problems: readonly string[] };

/** Reasons of a deprecation, as registration documents have them. */
export const DEPRECATION_REASONS = ["Legacy", "CriticalBugs", "Other"] as const;

const MESSAGE_LENGTH_MAX = 4000;
const VERSIONS_MAX = 1000;
/** There are three; each may be named in more than one way. */
const REASONS_MAX = 10;
const SHOWN_LENGTH_MAX = 120;
/** Names of the reasons at nuget.org's own endpoint. */
const FLAGS = { isLegacy: "Legacy", hasCriticalBugs: "CriticalBugs", isOther: "Other" } as const;
const FORM_TEXTS = [
  ...Object.keys(FLAGS),
  "message",
  "alternatePackageId",
  "alternatePackageVersion",
] as const;
const FORM_LISTS = ["versions", "reasons"] as const;

/** Reads the body of a request: JSON, or a form. Versions may also be in the query. */
export function parseDeprecationBody(
  body: Uint8Array,
  how: {
    readonly does: "sets" | "lifts";
    readonly contentType: string | undefined;
    readonly query: URLSearchParams;
  },
): DeprecationRequestOutcome {
  const fields = fieldsOf(Buffer.from(body).toString("utf8"), how.contentType);
  if (!fields)
    return { status: "invalid", problems: ["The body must be a JSON object or a form."] };
  const versions = how.query.getAll("versions");
  return parseDeprecation({ ...fields, ...(versions.length > 0 && { versions }) }, how.does);
}

/**
 * Reads what is deprecated and why, in our words (`versions`, `reasons`, `message`,
 * `alternatePackage`) or in those of nuget.org (`isLegacy`, `hasCriticalBugs`, `isOther`,
 * `alternatePackageId`, `alternatePackageVersion`), where no flag set lifts it.
 */
export function parseDeprecation(
  fields: Fields,
  does: "sets" | "lifts" = "sets",
): DeprecationRequestOutcome {
  const problems: string[] = [];
  const versions = readVersions(fields["versions"], problems);
  problems.push(...flagProblems(fields));
  const lifts = does === "lifts" || isLiftedByFlags(fields);
  const deprecation = lifts ? undefined : readDeprecation(fields, problems);
  if (problems.length > 0) return { status: "invalid", problems };
  return { status: "read", request: { versions, deprecation } };
}

type Fields = JsonObject;
type Problems = string[];

function fieldsOf(text: string, contentType = ""): Fields | undefined {
  if (/^\s*application\/x-www-form-urlencoded\b/i.test(contentType)) {
    const form = new URLSearchParams(text);
    // Only by the known names: each lookup scans the whole form.
    const texts = FORM_TEXTS.map((name) => [name, form.get(name) ?? undefined]);
    const lists = FORM_LISTS.map((name) => [name, form.has(name) ? form.getAll(name) : undefined]);
    return Object.fromEntries([...texts, ...lists]) as Fields;
  }
  if (text.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\u{feff}/u, ""));
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function readVersions(input: unknown, problems: Problems): readonly string[] | "all" {
  if (input === undefined || input === null || input === "all") return "all";
  const list: readonly unknown[] = Array.isArray(input) ? input : [input];
  const texts = list.flatMap((entry) => (typeof entry === "string" ? entry.split(",") : [entry]));
  if (texts.length === 1 && texts[0] === "all") return "all";
  if (texts.length === 0 || texts.length > VERSIONS_MAX) {
    problems.push(`"versions" takes 1 to ${VERSIONS_MAX} versions, or "all".`);
    return [];
  }
  const versions = texts.flatMap((text) => {
    const version = typeof text === "string" ? lowerVersion(text) : undefined;
    if (version === undefined) problems.push(`${shown(text)} in "versions" is not a version.`);
    return version ?? [];
  });
  return [...new Set(versions)];
}

function isLiftedByFlags(fields: Fields): boolean {
  const flags = Object.keys(FLAGS).filter((name) => fields[name] !== undefined);
  const isNone = fields["reasons"] === undefined && reasonsByFlag(fields).length === 0;
  return flags.length > 0 && isNone;
}

function reasonsByFlag(fields: Fields): readonly DeprecationReason[] {
  return Object.entries(FLAGS).flatMap(([name, reason]) => (isTrue(fields[name]) ? [reason] : []));
}

function flagProblems(fields: Fields): readonly string[] {
  return Object.keys(FLAGS).flatMap((name) => {
    const isFlag = ["undefined", "boolean", "string"].includes(typeof (fields[name] ?? undefined));
    return isFlag ? [] : [`"${name}" must be true or false.`];
  });
}

/** Forms have only text. */
function isTrue(flag: unknown): boolean {
  return flag === true || (typeof flag === "string" && flag.toLowerCase() === "true");
}

function readDeprecation(fields: Fields, problems: Problems): Deprecation {
  const namedReasons = readReasons(fields["reasons"], problems);
  const allReasons = new Set([...namedReasons, ...reasonsByFlag(fields)]);
  const reasons = DEPRECATION_REASONS.filter((reason) => allReasons.has(reason));
  if (reasons.length === 0 && problems.length === 0) {
    problems.push(`"reasons" must name at least one of ${DEPRECATION_REASONS.join(", ")}.`);
  }
  const message = readText(fields, "message", problems)?.trim();
  if ((message?.length ?? 0) > MESSAGE_LENGTH_MAX) {
    problems.push(`"message" is over ${MESSAGE_LENGTH_MAX} characters.`);
  }
  const alternatePackage = readAlternate(fields, problems);
  return {
    reasons,
    ...(message !== undefined && message !== "" && { message }),
    ...(alternatePackage && { alternatePackage }),
  };
}

function readReasons(input: unknown, problems: Problems): readonly DeprecationReason[] {
  if (input === undefined || input === null) return [];
  const list: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (list.length > REASONS_MAX) {
    problems.push(`"reasons" takes up to ${REASONS_MAX} of them.`);
    return [];
  }
  return list.flatMap((entry) => {
    const lowerName = typeof entry === "string" ? entry.trim().toLowerCase() : undefined;
    const reason = DEPRECATION_REASONS.find((candidate) => candidate.toLowerCase() === lowerName);
    if (reason) return [reason];
    problems.push(`${shown(entry)} is not a reason; use ${DEPRECATION_REASONS.join(", ")}.`);
    return [];
  });
}

function readAlternate(fields: Fields, problems: Problems): Deprecation["alternatePackage"] {
  const alternate = fields["alternatePackage"];
  if (alternate !== undefined && alternate !== null && !isJsonObject(alternate)) {
    problems.push('"alternatePackage" must be an object with an "id".');
    return undefined;
  }
  const isOurs = isJsonObject(alternate);
  const id = isOurs
    ? readText(alternate, "id", problems)
    : readText(fields, "alternatePackageId", problems);
  const text = isOurs
    ? readText(alternate, "range", problems)
    : readText(fields, "alternatePackageVersion", problems);
  if (id === undefined || id === "") {
    if (isOurs || text !== undefined) problems.push("The alternate package has no id.");
    return undefined;
  }
  if (!isDependencyId(id)) problems.push(`${shown(id)} is not a package id.`);
  return { id, range: readRange(text, problems) };
}

function readRange(text: string | undefined, problems: Problems): string {
  if (text === undefined || text === "" || text === "*") return "*";
  const range = parseVersionRange(text);
  if (!range) problems.push(`${shown(text)} is not a version range.`);
  return range ? formatVersionRange(range) : "*";
}

function readText(fields: Fields, name: string, problems: Problems): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  problems.push(`"${name}" must be text.`);
  return undefined;
}

/** Nested values are not shown: they may be nested too deeply for a message. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "A list";
  if (isJsonObject(value)) return "An object";
  const text = typeof value === "string" ? value.slice(0, SHOWN_LENGTH_MAX) : value;
  return JSON.stringify(text) ?? "nothing";
}
