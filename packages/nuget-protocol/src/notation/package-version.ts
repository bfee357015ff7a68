/** A version by NuGet's rules: one to four numbers, then what SemVer 2.0.0 allows. */
export type PackageVersion = {
  readonly numbers: readonly [major: number, minor: number, patch: number, revision: number];
  /** Identifiers of the prerelease label; empty for a release. */
  readonly labels: readonly string[];
  readonly metadata?: string;
  /** `1.0` is `1.0.0`, `1.01.1.0` is `1.1.1`; never with metadata. Unique but for casing. */
  readonly normalized: string;
  /** Normal form plus `+metadata`. */
  readonly full: string;
  readonly isPrerelease: boolean;
  /** Dotted label or metadata: unreadable for clients that know SemVer 1.0.0 only. */
  readonly isSemVer2: boolean;
};

const PARTS_MAX = 4;
const INT32_MAX = 2_147_483_647;
const TEXT_LENGTH_MAX = 256;
const VERSION = /^(\d+(?:\.\d+){0,3})(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;
const LABEL = /^(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)$/;
const METADATA = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/;

/** Undefined when the text is not a version. Surrounding white space is ignored, as NuGet does. */
export function parsePackageVersion(text: string): PackageVersion | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined;
  const match = VERSION.exec(text.trim());
  if (!match) return undefined;
  const [, digits = "", label, metadata] = match;
  const numbers = digits.split(".").map(Number);
  if (numbers.some((number) => number > INT32_MAX)) return undefined;
  const labels = label?.split(".") ?? [];
  if (!labels.every((part) => LABEL.test(part))) return undefined;
  if (metadata !== undefined && !METADATA.test(metadata)) return undefined;
  return versionOf(numbers, labels, metadata);
}

/** The form that keys and links use: the lower-cased normal form. Undefined for no version. */
export function lowerVersion(text: string): string | undefined {
  return parsePackageVersion(text)?.normalized.toLowerCase();
}

/** Negative, zero or positive; metadata and casing do not count. */
export function comparePackageVersions(left: PackageVersion, right: PackageVersion): number {
  for (let part = 0; part < PARTS_MAX; part++) {
    const difference = (left.numbers[part] ?? 0) - (right.numbers[part] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.isPrerelease !== right.isPrerelease) return left.isPrerelease ? -1 : 1;
  return compareLabels(left.labels, right.labels);
}

/** Compares versions as text; invalid versions sort before all versions. */
export function compareVersionTexts(left: string, right: string): number {
  return compareParsed(parsePackageVersion(left), parsePackageVersion(right));
}

/** Ascending. Each text is read once, which counts where there are thousands. */
export function ascendingVersions<T extends { readonly version: string }>(
  records: readonly T[],
): readonly T[] {
  return records
    .map((record) => ({ record, version: parsePackageVersion(record.version) }))
    .toSorted((a, b) => compareParsed(a.version, b.version))
    .map(({ record }) => record);
}

function compareParsed(
  left: PackageVersion | undefined,
  right: PackageVersion | undefined,
): number {
  if (left && right) return comparePackageVersions(left, right);
  return Number(left !== undefined) - Number(right !== undefined);
}

function versionOf(
  parts: readonly number[],
  labels: readonly string[],
  metadata: string | undefined,
): PackageVersion {
  const [major = 0, minor = 0, patch = 0, revision = 0] = parts;
  const isPrerelease = labels.length > 0;
  const numbers = `${major}.${minor}.${patch}${revision > 0 ? `.${revision}` : ""}`;
  const normalized = isPrerelease ? `${numbers}-${labels.join(".")}` : numbers;
  return {
    numbers: [major, minor, patch, revision],
    labels,
    ...(metadata !== undefined && { metadata }),
    normalized,
    full: metadata === undefined ? normalized : `${normalized}+${metadata}`,
    isPrerelease,
    isSemVer2: labels.length > 1 || metadata !== undefined,
  };
}

function compareLabels(left: readonly string[], right: readonly string[]): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const difference = compareIdentifiers(left[index] ?? "", right[index] ?? "");
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function compareIdentifiers(left: string, right: string): number {
  const [a, b] = [int32Of(left), int32Of(right)];
  if (a !== undefined && b !== undefined) return a - b;
  if (a !== undefined) return -1;
  if (b !== undefined) return 1;
  const [upperLeft, upperRight] = [left.toUpperCase(), right.toUpperCase()];
  if (upperLeft === upperRight) return 0;
  return upperLeft < upperRight ? -1 : 1;
}

/** NuGet compares as numbers only what fits an int32; longer digit runs are text. */
function int32Of(identifier: string): number | undefined {
  if (!/^\d+$/.test(identifier)) return undefined;
  const number = Number(identifier);
  return number <= INT32_MAX ? number : undefined;
}
