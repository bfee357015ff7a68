import type { PackageVersion } from "./package-version.ts";
import { comparePackageVersions, parsePackageVersion } from "./package-version.ts";

/** The versions a dependency accepts. A missing bound is open. */
export type VersionRange = {
  readonly lower?: Bound | undefined;
  readonly upper?: Bound | undefined;
};

/** One end of a version range. */
export type Bound = { readonly version: PackageVersion; readonly isInclusive: boolean };

/** Packages may use 256; the form documents show writes an exact version twice, and in full. */
const TEXT_LENGTH_MAX = 1024;
const INTERVAL = /^([[(])([^,]*)(?:,([^,]*))?([\])])$/;

/**
 * NuGet's notation: `1.0` (that version or newer), `[1.0]`, `[1.0, 2.0)`, `(, 1.0]`, `(, )`.
 * Floating ranges (`1.*`) are for projects, not for packages. Undefined when the text is not a
 * range.
 */
export function parseVersionRange(text: string): VersionRange | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined;
  const trimmed = text.trim();
  const interval = INTERVAL.exec(trimmed);
  if (interval) return intervalOf(interval);
  const version = parsePackageVersion(trimmed);
  return version && { lower: { version, isInclusive: true } };
}

/** The form registration documents carry: `[1.0.0, )`; `(, )` for a range without bounds. */
export function formatVersionRange({ lower, upper }: VersionRange): string {
  const open = lower?.isInclusive ? "[" : "(";
  const close = upper?.isInclusive ? "]" : ")";
  return `${open}${lower?.version.normalized ?? ""}, ${upper?.version.normalized ?? ""}${close}`;
}

/** As NuGet decides it: by precedence, so metadata and casing do not count, and a prerelease is in
 * every range whose bounds lie around it. */
export function rangeContains({ lower, upper }: VersionRange, version: PackageVersion): boolean {
  return isBeyond(lower, version, 1) && isBeyond(upper, version, -1);
}

/** True when a client that knows SemVer 1.0.0 only could not read a bound. */
export function isSemVer2Range({ lower, upper }: VersionRange): boolean {
  return [lower, upper].some((bound) => bound?.version.isSemVer2 === true);
}

/** Packages must not ask for build metadata: it has no order. */
export function hasMetadataBound({ lower, upper }: VersionRange): boolean {
  return [lower, upper].some((bound) => bound?.version.metadata !== undefined);
}

/** Whether the version lies on the given side of the bound: 1 above it, -1 below it. */
function isBeyond(bound: Bound | undefined, version: PackageVersion, side: 1 | -1): boolean {
  if (!bound) return true;
  const order = comparePackageVersions(version, bound.version) * side;
  return order > 0 || (order === 0 && bound.isInclusive);
}

function intervalOf(match: RegExpExecArray): VersionRange | undefined {
  const [, open = "", from = "", to, close = ""] = match;
  const isExact = to === undefined;
  if (isExact && `${open}${close}` !== "[]") return undefined;
  if (`${from}${to ?? ""}` === "") return undefined;
  const lower = boundOf(from, open === "[");
  const upper = isExact ? lower : boundOf(to, close === "]");
  if (lower === "unreadable" || upper === "unreadable") return undefined;
  if (lower && upper && isEmpty(lower, upper)) return undefined;
  return { lower, upper };
}

function boundOf(text: string, isInclusive: boolean): Bound | undefined | "unreadable" {
  if (text.trim() === "") return undefined;
  const version = parsePackageVersion(text);
  return version ? { version, isInclusive } : "unreadable";
}

/** `(1.0, 1.0)` holds nothing either, but NuGet reads it, so packages with it exist. */
function isEmpty(lower: Bound, upper: Bound): boolean {
  const order = comparePackageVersions(lower.version, upper.version);
  return order > 0 || (order === 0 && lower.isInclusive !== upper.isInclusive);
}
