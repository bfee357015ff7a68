import Range from "semver/classes/range.js";
import type SemVer from "semver/classes/semver.js";
import compare from "semver/functions/compare.js";
import parse from "semver/functions/parse.js";
import { isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";

export type RangesRead = {
  /** Each a range as semver writes it; a version within any is affected. */
  readonly ranges: readonly string[];
  readonly problems: readonly string[];
};

/** How npm's clients hold a version against a range of an advisory. */
export const RANGE_OPTIONS = { loose: true, includePrerelease: true } as const;

const EVENTS_MAX = 1000;
const VERSIONS_MAX = 10_000;
const EVENTS = ["introduced", "fixed", "last_affected", "limit"] as const;
const LAST_KNOWN = /^(<=?)\s*(\S+)$/;

type Event = {
  readonly type: (typeof EVENTS)[number];
  /** Undefined: before every version. */
  readonly version: SemVer | undefined;
};

/** Which versions an entry of `affected` is about: its ranges, and what `versions` adds to them. */
export function affectedNpmRanges(affected: JsonObject): RangesRead {
  const problems: string[] = [];
  const ranges: string[] = [];
  const lastKnown = lastKnownOf(affected["database_specific"]);
  for (const range of listOf(affected["ranges"]).filter(isOrdered)) {
    const read = readEvents(range["events"], lastKnown);
    if (typeof read === "string") problems.push(read);
    else ranges.push(...read);
  }
  ranges.push(...exactRanges(listOf(affected["versions"]), ranges, problems));
  return { ranges, problems };
}

/** Commits have no order among versions. */
function isOrdered(range: unknown): range is JsonObject {
  return isObject(range) && (range["type"] === "ECOSYSTEM" || range["type"] === "SEMVER");
}

/** The evaluation of the OSV schema: events by version, each turning "affected" on or off. */
function readEvents(given: unknown, lastKnown: string): readonly string[] | string {
  const list = listOf(given);
  if (list.length > EVENTS_MAX) return `a range has more than ${EVENTS_MAX} events`;
  const events: Event[] = [];
  for (const one of list) {
    const event = eventOf(one);
    if (event === "unreadable") return "a range has an event whose version cannot be read";
    if (event) events.push(event);
  }
  if (!events.some(({ type }) => type === "introduced")) {
    return "a range has no event that introduces the vulnerability";
  }
  const ranges: string[] = [];
  let from: Event | undefined;
  for (const event of events.toSorted(compareEvents)) {
    if (event.type === "introduced") from ??= event;
    else if (from) {
      const sign = event.type === "last_affected" ? "<=" : "<";
      ranges.push(...between(from.version, sign, event.version));
      from = undefined;
    }
  }
  if (from) ranges.push([lower(from.version), lastKnown].filter(Boolean).join(" ") || ">=0");
  return ranges;
}

function between(
  from: SemVer | undefined,
  sign: "<" | "<=",
  to: SemVer | undefined,
): readonly string[] {
  if (!to) return [];
  const order = from ? compare(from, to) : -1;
  if (order > 0 || (order === 0 && sign === "<")) return [];
  if (order === 0) return [to.version];
  return [[lower(from), `${sign}${to.version}`].filter(Boolean).join(" ")];
}

function lower(version: SemVer | undefined): string {
  return version ? `>=${version.version}` : "";
}

function eventOf(given: unknown): Event | undefined | "unreadable" {
  const fields = isObject(given) ? given : {};
  const type = EVENTS.find((one) => fields[one] !== undefined);
  if (type === undefined) return "unreadable";
  const text = fields[type];
  if (type === "limit" && text === "*") return undefined;
  if (type === "introduced" && text === "0") return { type, version: undefined };
  const version = versionOf(text);
  return version ? { type, version } : "unreadable";
}

/** GitHub keeps the end of a range without a fix beside it: `<= 1.2.3`. */
function lastKnownOf(more: unknown): string {
  const text = isObject(more) ? more["last_known_affected_version_range"] : undefined;
  const [, sign = "", end] = LAST_KNOWN.exec(typeof text === "string" ? text : "") ?? [];
  const version = versionOf(end);
  return version ? `${sign}${version.version}` : "";
}

function exactRanges(
  versions: readonly unknown[],
  known: readonly string[],
  problems: string[],
): readonly string[] {
  if (versions.length === 0) return [];
  if (versions.length > VERSIONS_MAX) {
    problems.push(`it lists more than ${VERSIONS_MAX} versions`);
    return [];
  }
  const range = known.length > 0 ? new Range(known.join(" || "), RANGE_OPTIONS) : undefined;
  const exact = new Set<string>();
  for (const text of versions) {
    const version = versionOf(text);
    if (!version) problems.push("it lists what is no version");
    else if (!range?.test(version)) exact.add(version.version);
  }
  return [...exact];
}

/** Also `1` and `1.2`, which people write for `1.0.0` and `1.2.0`. */
function versionOf(given: unknown): SemVer | undefined {
  if (typeof given !== "string") return undefined;
  const text = /^\d+$/.test(given) ? `${given}.0.0` : given.replace(/^(\d+\.\d+)$/, "$1.0");
  return parse(text, { loose: true }) ?? undefined;
}

function compareEvents(left: Event, right: Event): number {
  if (!left.version || !right.version) {
    return Number(left.version !== undefined) - Number(right.version !== undefined);
  }
  return compare(left.version, right.version);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
