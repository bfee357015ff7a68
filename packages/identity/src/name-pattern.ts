import type { Protocol } from "@sealhouse/request-types";
import { TokenSettingError } from "./errors.ts";

const PATTERN = /^[\w@.~*/-]{1,256}$/;
const PATTERNS_MAX = 100;
/** Longer than any name that a protocol allows; the price of a match is bounded by it. */
const NAME_MAX = 512;

/**
 * Reads a list of name patterns, parted by commas or white space; an empty text means all names.
 *
 * @throws TokenSettingError
 */
export function parsePatterns(text: string): readonly string[] {
  const patterns = [...new Set(text.split(/[\s,]+/).filter((word) => word !== ""))];
  checkPatterns(patterns);
  return patterns;
}

/** @throws TokenSettingError */
export function checkPatterns(patterns: readonly string[]): void {
  if (patterns.length > PATTERNS_MAX) {
    throw new TokenSettingError("patterns", `A token has at most ${PATTERNS_MAX} name patterns.`);
  }
  const bad = patterns.find((pattern) => !PATTERN.test(pattern));
  if (bad === undefined) return;
  throw new TokenSettingError(
    "patterns",
    `${JSON.stringify(bad)} is no name pattern. Use names with * for any part of a segment and ` +
      `** for any number of segments, such as Acme.*, @acme/* or team/app/**.`,
  );
}

/**
 * Whether a pattern covers a name. `*` stands for any characters but `/`, `**` for any characters;
 * a closing `/**` covers the name before it too. NuGet ids have no letter case.
 */
export function coversName(pattern: string, protocol: Protocol, name: string): boolean {
  if (name.length > NAME_MAX) return false;
  const sensitive = protocol !== "nuget";
  const wanted = sensitive ? pattern : pattern.toLowerCase();
  const given = sensitive ? name : name.toLowerCase();
  if (wanted.endsWith("/**") && matches(partsOf(wanted.slice(0, -3)), given)) return true;
  return matches(partsOf(wanted), given);
}

/**
 * Whether every name that `pattern` covers is covered by `bound` too. Sure when it says yes; of
 * patterns that are put together strangely it may say no where yes was right.
 */
export function coversPattern(bound: string, pattern: string): boolean {
  // A closing `/**` covers the name before it as well.
  if (pattern.endsWith("/**") && !coversForm(bound, pattern.slice(0, -3))) return false;
  return coversForm(bound, pattern);
}

function coversForm(bound: string, pattern: string): boolean {
  const form = partsOf(pattern);
  if (bound.endsWith("/**") && matches(partsOf(bound.slice(0, -3)), form)) return true;
  return matches(partsOf(bound), form);
}

/** Single characters, `*` and `**`. */
function partsOf(pattern: string): readonly string[] {
  return pattern.match(/\*\*+|./g) ?? [];
}

/** Row by row instead of with a regular expression: no pattern and no name can make it slow. A
 * name is its characters; a pattern instead of a name has wild parts among them. */
function matches(parts: readonly string[], name: string | readonly string[]): boolean {
  // reached[i]: the parts so far can stand for the first i characters of the name.
  let reached = Array.from({ length: name.length + 1 }, (_, at) => at === 0);
  for (const part of parts) {
    const next = Array.from({ length: name.length + 1 }, () => false);
    const wild = part.startsWith("*");
    for (let at = 0; at <= name.length; at += 1) {
      const last = name[at - 1];
      const taken = part === last || (wild && (part.length > 1 || isOfSegment(last)));
      const before = at > 0 && taken && (wild ? next[at - 1] : reached[at - 1]);
      next[at] = before === true || (wild && reached[at] === true);
    }
    reached = next;
  }
  return reached[name.length] === true;
}

/** Neither the end of a segment nor a part that may hold one. */
function isOfSegment(symbol: string | undefined): boolean {
  return symbol !== "/" && symbol?.startsWith("**") !== true;
}
