export type AskedRange =
  | { readonly status: "whole" }
  | { readonly status: "part"; readonly range: ByteRange }
  /** At least two ranges, ascending, without overlap. */
  | { readonly status: "parts"; readonly ranges: readonly ByteRange[] }
  | { readonly status: "unsatisfiable" };

/** Maximum number of ranges in a podman request (containers/storage: `maxNumberMissingChunks`). */
export const RANGES_MAX = 1_024;

const WHOLE: AskedRange = { status: "whole" };
const UNSATISFIABLE: AskedRange = { status: "unsatisfiable" };
const RANGES = /^bytes\s*=(.*)$/i;
/** Expects trimmed text: two adjacent `\s*` would take quadratic time. */
const RANGE = /^(\d*)\s*-\s*(\d*)$/;

/**
 * The range that a `Range` header requests of `size` bytes (RFC 9110 section 14.2). Other units and
 * invalid values are ignored, as the RFC allows; so are several ranges that overlap, descend or are
 * more than `RANGES_MAX`. For an empty file every range is ignored, because some clients always
 * request `0-`.
 */
export function parseRange(header: string | undefined, size: number): AskedRange {
  const [, list] = (header && RANGES.exec(header)) || [];
  if (list === undefined || size === 0) return WHOLE;
  const texts = list.split(",", RANGES_MAX + 1).map((text) => text.trim());
  if (texts.length > RANGES_MAX) return WHOLE;
  const askedRanges = texts.map((text) => rangeIn(text, size));
  const [only] = askedRanges;
  if (askedRanges.length === 1 && only) return only;
  if (askedRanges.includes(WHOLE) || texts.some(isReversed)) return WHOLE;
  const ranges = askedRanges.flatMap((askedRange) =>
    askedRange.status === "part" ? [askedRange.range] : [],
  );
  const [first] = ranges;
  if (!first) return UNSATISFIABLE;
  if (ranges.length === 1) return { status: "part", range: first };
  return isAscending(ranges) ? { status: "parts", ranges } : WHOLE;
}

function rangeIn(text: string, size: number): AskedRange {
  const [, first, last] = RANGE.exec(text) ?? [];
  if (first === undefined || last === undefined) return WHOLE;
  if (first === "") return last === "" ? WHOLE : suffixOf(Number(last), size);
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? UNSATISFIABLE : { status: "part", range: { start, end } };
}

/** Invalid, where a range that begins behind the end is only left out. */
function isReversed(text: string): boolean {
  const [, first = "", last = ""] = RANGE.exec(text) ?? [];
  return first !== "" && last !== "" && Number(first) > Number(last);
}

function isAscending(ranges: readonly ByteRange[]): boolean {
  return ranges.every(({ start }, index) => start > (ranges[index - 1]?.end ?? -1));
}

function suffixOf(length: number, size: number): AskedRange {
  if (length === 0) return UNSATISFIABLE;
  return { status: "part", range: { start: Math.max(0, size - length), end: size - 1 } };
}

/** `end` is inclusive, as in RFC 9110 section 14.1.2. */
export type ByteRange = { readonly start: number; readonly end: number };

/** Options of `ByteSource.read`. */
export type ReadOptions = {
  /** Allows the source to overwrite a chunk as soon as the caller requests the next one. */
  readonly reuse?: boolean;
};

/** Bytes of a known size that can be read again, whole or in part. */
export type ByteSource = {
  readonly size: number;
  /** Opens the source at the first chunk. Leaving the loop early closes it. */
  read(range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>;
};
