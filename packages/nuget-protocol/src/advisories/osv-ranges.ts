import type { PackageVersion } from "../notation/package-version.ts";
import { comparePackageVersions, parsePackageVersion } from "../notation/package-version.ts";
import type { Bound, VersionRange } from "../notation/version-range.ts";
import { rangeContains } from "../notation/version-range.ts";
import { jsonList, jsonObject, jsonText, shown } from "../json-value.ts";

export type RangesRead = {
  /** Ascending; none of them touches another. */
  readonly ranges: readonly VersionRange[];
  readonly problems: readonly string[];
};

const EVENTS_MAX = 1000;
const VERSIONS_MAX = 10_000;
const EVENTS = ["introduced", "fixed", "last_affected", "limit"] as const;
const LAST_KNOWN = /^(<=?)\s*(\S+)$/;

type Event = {
  readonly type: (typeof EVENTS)[number];
  /** Undefined: before every version. */
  readonly version: PackageVersion | undefined;
};

/** Which versions an entry of `affected` is about: its ranges, and what `versions` adds to them. */
export function affectedRanges(affected: unknown): RangesRead {
  const { ranges: given, versions, database_specific: more } = jsonObject(affected) ?? {};
  const problems: string[] = [];
  const ranges: VersionRange[] = [];
  for (const range of jsonList(given)) {
    if (!isOrdered(range)) continue;
    const read = readEvents(jsonObject(range)?.["events"]);
    if (typeof read === "string") problems.push(read);
    else ranges.push(...read.map((one) => endingAt(one, jsonObject(more))));
  }
  const merged = mergeRanges(ranges);
  return {
    ranges: mergeRanges([...merged, ...exactRanges(jsonList(versions), merged, problems)]),
    problems,
  };
}

/** One range where several overlap or follow each other without a gap. Empty ones go. */
export function mergeRanges(ranges: readonly VersionRange[]): readonly VersionRange[] {
  const merged: VersionRange[] = [];
  for (const range of ranges.filter(isNotEmpty).toSorted(compareLower)) {
    const last = merged.at(-1);
    if (last && touches(last.upper, range.lower)) {
      merged[merged.length - 1] = { lower: last.lower, upper: later(last.upper, range.upper) };
    } else merged.push(range);
  }
  return merged;
}

/** Commits have no order among versions. */
function isOrdered(range: unknown): boolean {
  const type = jsonObject(range)?.["type"];
  return type === "ECOSYSTEM" || type === "SEMVER";
}

/** The evaluation of the OSV schema: events by version, each turning "affected" on or off. Events
 * of one version keep their order. */
function readEvents(given: unknown): readonly VersionRange[] | string {
  if (jsonList(given).length > EVENTS_MAX) return `a range has more than ${EVENTS_MAX} events`;
  const events: Event[] = [];
  for (const one of jsonList(given)) {
    const event = eventOf(one);
    if (event === "unreadable") return `a range has the event ${shown(one)}, which is no version`;
    if (event) events.push(event);
  }
  if (!events.some(({ type }) => type === "introduced")) {
    return "a range has no event that introduces the vulnerability";
  }
  const ranges: VersionRange[] = [];
  let from: Event | undefined;
  for (const event of events.toSorted(compareEvents)) {
    if (event.type === "introduced") from ??= event;
    else if (from) {
      const isInclusive = event.type === "last_affected";
      ranges.push({
        lower: boundAt(from.version, true),
        upper: boundAt(event.version, isInclusive),
      });
      from = undefined;
    }
  }
  if (from) ranges.push({ lower: boundAt(from.version, true) });
  return ranges;
}

function eventOf(given: unknown): Event | undefined | "unreadable" {
  const fields = jsonObject(given) ?? {};
  const type = EVENTS.find((one) => fields[one] !== undefined);
  if (type === undefined) return "unreadable";
  const text = jsonText(fields[type]) ?? "";
  if (type === "limit" && text === "*") return undefined;
  if (type === "introduced" && text === "0") return { type, version: undefined };
  const version = parsePackageVersion(text);
  return version ? { type, version } : "unreadable";
}

/** GitHub keeps the end of a range without a fix beside it: `<= 1.2.3`. */
function endingAt(range: VersionRange, more: ReturnType<typeof jsonObject>): VersionRange {
  const text = jsonText(more?.["last_known_affected_version_range"]);
  const [, sign, end = ""] = LAST_KNOWN.exec(text ?? "") ?? [];
  const version = parsePackageVersion(end);
  if (range.upper || sign === undefined || !version) return range;
  return { ...range, upper: { version, isInclusive: sign === "<=" } };
}

function exactRanges(
  versions: readonly unknown[],
  known: readonly VersionRange[],
  problems: string[],
): readonly VersionRange[] {
  if (versions.length > VERSIONS_MAX) {
    problems.push(`it lists more than ${VERSIONS_MAX} versions`);
    return [];
  }
  const ranges: VersionRange[] = [];
  for (const text of versions) {
    const version = parsePackageVersion(jsonText(text) ?? "");
    if (!version) problems.push(`it lists ${shown(text)}, which is no version`);
    else if (!known.some((range) => rangeContains(range, version))) {
      ranges.push({ lower: boundAt(version, true), upper: boundAt(version, true) });
    }
  }
  return ranges;
}

function boundAt(version: PackageVersion | undefined, isInclusive: boolean): Bound | undefined {
  return version && { version, isInclusive };
}

function compareEvents(left: Event, right: Event): number {
  if (!left.version || !right.version) {
    return Number(left.version !== undefined) - Number(right.version !== undefined);
  }
  return comparePackageVersions(left.version, right.version);
}

function isNotEmpty({ lower, upper }: VersionRange): boolean {
  if (!lower || !upper) return true;
  const order = comparePackageVersions(lower.version, upper.version);
  return order < 0 || (order === 0 && lower.isInclusive && upper.isInclusive);
}

function compareLower({ lower: left }: VersionRange, { lower: right }: VersionRange): number {
  if (!left || !right) return Number(left !== undefined) - Number(right !== undefined);
  const order = comparePackageVersions(left.version, right.version);
  return order === 0 ? Number(right.isInclusive) - Number(left.isInclusive) : order;
}

/** Whether no version lies between an upper bound and the next lower one. */
function touches(upper: Bound | undefined, lower: Bound | undefined): boolean {
  if (!upper || !lower) return true;
  const order = comparePackageVersions(upper.version, lower.version);
  return order > 0 || (order === 0 && (upper.isInclusive || lower.isInclusive));
}

function later(left: Bound | undefined, right: Bound | undefined): Bound | undefined {
  if (!left || !right) return undefined;
  const order = comparePackageVersions(left.version, right.version);
  if (order === 0) return left.isInclusive ? left : right;
  return order > 0 ? left : right;
}
