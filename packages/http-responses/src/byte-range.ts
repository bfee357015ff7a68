import type { ByteRange } from "./byte-source.ts";

export type AskedRange =
  | { readonly status: "whole" }
  | { readonly status: "part"; readonly range: ByteRange }
  | { readonly status: "unsatisfiable" };

const WHOLE: AskedRange = { status: "whole" };
const UNSATISFIABLE: AskedRange = { status: "unsatisfiable" };
const SINGLE = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i;

/**
 * What a `Range` header asks of `size` bytes (RFC 9110 section 14.2). Other units, several ranges
 * and nonsense are ignored, as the RFC allows. So is every range of an empty file: some clients ask
 * for `0-` always, and nothing is the whole of nothing.
 */
export function parseRange(header: string | undefined, size: number): AskedRange {
  const [, first, last] = (header && SINGLE.exec(header)) || [];
  if (first === undefined || last === undefined || size === 0) return WHOLE;
  if (first === "") return last === "" ? WHOLE : suffixOf(Number(last), size);
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? UNSATISFIABLE : { status: "part", range: { start, end } };
}

function suffixOf(length: number, size: number): AskedRange {
  if (length === 0) return UNSATISFIABLE;
  return { status: "part", range: { start: Math.max(0, size - length), end: size - 1 } };
}
