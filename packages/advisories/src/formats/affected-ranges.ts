import { listOf, objectOf, shown, textOf } from "./json-value.ts";

/** The lower or upper end of a range. */
export type VersionBound<Version> = { readonly version: Version; readonly isInclusive: boolean };

/** The versions between two bounds. A missing bound is open. */
export type AffectedRange<Version> = {
  readonly lower?: VersionBound<Version> | undefined;
  readonly upper?: VersionBound<Version> | undefined;
};

/** Version parsing and order of an ecosystem. */
export type VersionOrder<Version> = {
  /** Returns `undefined` for a text that is not a version. */
  readonly parseVersion: (text: string) => Version | undefined;
  readonly compareVersions: (left: Version, right: Version) => number;
};

/** The affected versions of one entry, and the problems of skipped parts. */
export type RangesReading<Version> = {
  /** In the order of the document, none of them empty; listed versions come last. */
  readonly ranges: readonly AffectedRange<Version>[];
  readonly problems: readonly string[];
};

const EVENTS_MAX = 1000;
const VERSIONS_MAX = 10_000;
const EVENTS = ["introduced", "fixed", "last_affected", "limit"] as const;
const LAST_KNOWN = /^(<=?)\s*(\S+)$/;

type Event<Version> = {
  readonly type: (typeof EVENTS)[number];
  /** `undefined` is before every version. */
  readonly version: Version | undefined;
};

/**
 * Reads which versions an entry of `affected` in an OSV document names: its ranges, and the listed
 * versions that no range contains.
 */
export function affectedRanges<Version>(
  affected: unknown,
  order: VersionOrder<Version>,
): RangesReading<Version> {
  const { ranges: rangeList, versions, database_specific: more } = objectOf(affected);
  const problems: string[] = [];
  const ranges: AffectedRange<Version>[] = [];
  const lastKnown = lastKnownOf(objectOf(more)["last_known_affected_version_range"], order);
  for (const range of listOf(rangeList).map(objectOf)) {
    if (!isOrdered(range["type"])) continue;
    const read = readEvents(listOf(range["events"]), order);
    if (typeof read === "string") problems.push(read);
    else
      ranges.push(
        ...read.map((affectedRange) =>
          affectedRange.upper ? affectedRange : { ...affectedRange, upper: lastKnown },
        ),
      );
  }
  const validRanges = ranges.filter((range) => isNotEmpty(range, order));
  return {
    ranges: [...validRanges, ...exactRanges(listOf(versions), validRanges, { order, problems })],
    problems,
  };
}

/** The ranges in ascending order, with one range where several overlap or touch. */
export function mergeRanges<Version>(
  ranges: readonly AffectedRange<Version>[],
  order: VersionOrder<Version>,
): readonly AffectedRange<Version>[] {
  const merged: AffectedRange<Version>[] = [];
  const ascending = ranges
    .filter((range) => isNotEmpty(range, order))
    .toSorted((left, right) => compareLower(left, right, order));
  for (const range of ascending) {
    const last = merged.at(-1);
    if (last && touches(last.upper, range.lower, order)) {
      const upper = laterOf(last.upper, range.upper, order);
      merged[merged.length - 1] = { lower: last.lower, upper };
    } else merged.push(range);
  }
  return merged;
}

/** Commits have no order among versions. */
function isOrdered(type: unknown): boolean {
  return type === "ECOSYSTEM" || type === "SEMVER";
}

/**
 * Evaluates events as the OSV schema defines: in version order, each switches "affected" on or off.
 * Events of one version keep their order. Returns the problem when evaluation fails.
 */
function readEvents<Version>(
  list: readonly unknown[],
  order: VersionOrder<Version>,
): readonly AffectedRange<Version>[] | string {
  if (list.length > EVENTS_MAX) return `a range has more than ${EVENTS_MAX} events`;
  const events: Event<Version>[] = [];
  for (const entry of list) {
    const event = eventOf(entry, order);
    if (event === "unreadable") {
      return `a range has an event with an invalid version: ${shown(entry)}`;
    }
    if (event) events.push(event);
  }
  if (!events.some(({ type }) => type === "introduced")) {
    return "a range has no event that introduces the vulnerability";
  }
  const ranges: AffectedRange<Version>[] = [];
  let from: Event<Version> | undefined;
  for (const event of events.toSorted((left, right) => compareEvents(left, right, order))) {
    if (event.type === "introduced") from ??= event;
    else if (from) {
      const isInclusive = event.type === "last_affected";
      const upper = boundAt(event.version, isInclusive);
      ranges.push({ lower: boundAt(from.version, true), upper });
      from = undefined;
    }
  }
  if (from) ranges.push({ lower: boundAt(from.version, true) });
  return ranges;
}

function eventOf<Version>(
  entry: unknown,
  { parseVersion }: VersionOrder<Version>,
): Event<Version> | undefined | "unreadable" {
  const fields = objectOf(entry);
  const type = EVENTS.find((eventType) => fields[eventType] !== undefined);
  if (type === undefined) return "unreadable";
  const text = textOf(fields[type]) ?? "";
  if (type === "limit" && text === "*") return undefined;
  if (type === "introduced" && text === "0") return { type, version: undefined };
  const version = parseVersion(text);
  return version === undefined ? "unreadable" : { type, version };
}

/** GitHub has a separate field for the end of a range without a fix: `<= 1.2.3`. */
function lastKnownOf<Version>(
  field: unknown,
  { parseVersion }: VersionOrder<Version>,
): VersionBound<Version> | undefined {
  const [, sign, end] = LAST_KNOWN.exec(textOf(field) ?? "") ?? [];
  return end === undefined ? undefined : boundAt(parseVersion(end), sign === "<=");
}

function exactRanges<Version>(
  versions: readonly unknown[],
  validRanges: readonly AffectedRange<Version>[],
  { order, problems }: { readonly order: VersionOrder<Version>; readonly problems: string[] },
): readonly AffectedRange<Version>[] {
  if (versions.length > VERSIONS_MAX) {
    problems.push(`it lists more than ${VERSIONS_MAX} versions`);
    return [];
  }
  const merged = mergeRanges(validRanges, order);
  const ranges: AffectedRange<Version>[] = [];
  for (const text of versions) {
    const version = order.parseVersion(textOf(text) ?? "");
    if (version === undefined) problems.push(`it lists ${shown(text)}, which is not a version`);
    else if (!merged.some((range) => contains(range, version, order))) {
      const bound = { version, isInclusive: true };
      ranges.push({ lower: bound, upper: bound });
    }
  }
  return ranges;
}

function boundAt<Version>(
  version: Version | undefined,
  isInclusive: boolean,
): VersionBound<Version> | undefined {
  return version === undefined ? undefined : { version, isInclusive };
}

function contains<Version>(
  { lower, upper }: AffectedRange<Version>,
  version: Version,
  { compareVersions }: VersionOrder<Version>,
): boolean {
  const isBeyond = (bound: VersionBound<Version> | undefined, side: 1 | -1) => {
    if (!bound) return true;
    const order = compareVersions(version, bound.version) * side;
    return order > 0 || (order === 0 && bound.isInclusive);
  };
  return isBeyond(lower, 1) && isBeyond(upper, -1);
}

function compareEvents<Version>(
  left: Event<Version>,
  right: Event<Version>,
  { compareVersions }: VersionOrder<Version>,
): number {
  if (left.version === undefined || right.version === undefined) {
    return Number(left.version !== undefined) - Number(right.version !== undefined);
  }
  return compareVersions(left.version, right.version);
}

function isNotEmpty<Version>(
  { lower, upper }: AffectedRange<Version>,
  { compareVersions }: VersionOrder<Version>,
): boolean {
  if (!lower || !upper) return true;
  const order = compareVersions(lower.version, upper.version);
  return order < 0 || (order === 0 && lower.isInclusive && upper.isInclusive);
}

function compareLower<Version>(
  { lower: left }: AffectedRange<Version>,
  { lower: right }: AffectedRange<Version>,
  { compareVersions }: VersionOrder<Version>,
): number {
  if (!left || !right) return Number(left !== undefined) - Number(right !== undefined);
  const order = compareVersions(left.version, right.version);
  return order === 0 ? Number(right.isInclusive) - Number(left.isInclusive) : order;
}

/** Returns true when no version lies between an upper bound and the next lower one. */
function touches<Version>(
  upper: VersionBound<Version> | undefined,
  lower: VersionBound<Version> | undefined,
  { compareVersions }: VersionOrder<Version>,
): boolean {
  if (!upper || !lower) return true;
  const order = compareVersions(upper.version, lower.version);
  return order > 0 || (order === 0 && (upper.isInclusive || lower.isInclusive));
}

function laterOf<Version>(
  left: VersionBound<Version> | undefined,
  right: VersionBound<Version> | undefined,
  { compareVersions }: VersionOrder<Version>,
): VersionBound<Version> | undefined {
  if (!left || !right) return undefined;
  const order = compareVersions(left.version, right.version);
  if (order === 0) return left.isInclusive ? left : right;
  return order > 0 ? left : right;
}
