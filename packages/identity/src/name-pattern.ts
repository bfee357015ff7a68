import type { Protocol } from "@sealhouse/request-types";
import { TokenSettingError } from "./errors.ts";

const PATTERN = /^[\w@.~*/-]{1,256}$/;
const PATTERNS_MAX = 100;
/** Longer than names of any protocol; bounds the cost of a match. */
const NAME_MAX = 512;

/**
 * Parses name patterns, separated by commas or white space; an empty text allows all names.
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
    `${JSON.stringify(bad)} is not a name pattern. Use * for any part of a segment and ` +
      `** for any number of segments, such as Acme.*, @acme/* or team/app/**.`,
  );
}

/**
 * Whether a pattern matches a name. `*` matches any characters except `/`, `**` any characters. A
 * final `/**` also matches the name before it. NuGet ids are case-insensitive.
 */
export function coversName(pattern: string, protocol: Protocol, name: string): boolean {
  if (name.length > NAME_MAX) return false;
  const sensitive = protocol !== "nuget";
  const foldedPattern = sensitive ? pattern : pattern.toLowerCase();
  const foldedName = sensitive ? name : name.toLowerCase();
  if (foldedPattern.endsWith("/**") && matches(partsOf(foldedPattern.slice(0, -3)), foldedName))
    return true;
  return matches(partsOf(foldedPattern), foldedName);
}

/**
 * Whether a pattern that keeps names from package sources covers a name. Letter case does not
 * matter: npm only has old names with capitals, and a typing error must not send a private name to
 * a source.
 */
export function coversAnyCase(pattern: string, protocol: Protocol, name: string): boolean {
  return coversName(pattern.toLowerCase(), protocol, name.toLowerCase());
}

/** Returns a name of npm with capitals in lower case: it may be a mistyped one. */
export function lowerCaseTwin(protocol: Protocol, name: string): string | undefined {
  const folded = name.toLowerCase();
  return protocol === "npm" && folded !== name ? folded : undefined;
}

/**
 * Whether `bound` matches every name that `pattern` matches. True is certain; for complex patterns
 * false may be wrong.
 */
export function coversPattern(bound: string, pattern: string): boolean {
  // A final `/**` also matches the name before it.
  if (pattern.endsWith("/**") && !coversForm(bound, pattern.slice(0, -3))) return false;
  return coversForm(bound, pattern);
}

function coversForm(bound: string, pattern: string): boolean {
  const form = partsOf(pattern);
  if (bound.endsWith("/**") && matches(partsOf(bound.slice(0, -3)), form)) return true;
  return matches(partsOf(bound), form);
}

/** Splits into single characters, `*` and `**`. */
function partsOf(pattern: string): readonly string[] {
  return pattern.match(/\*\*+|./g) ?? [];
}

/**
 * Matches row by row instead of with a regular expression, so that no input is slow. To compare
 * patterns, `name` may contain wildcards.
 */
function matches(parts: readonly string[], name: string | readonly string[]): boolean {
  // reached[i]: the parts so far can match the first i characters of the name.
  let reached = Array.from({ length: name.length + 1 }, (_, index) => index === 0);
  for (const part of parts) {
    const next = Array.from({ length: name.length + 1 }, () => false);
    const wild = part.startsWith("*");
    for (let position = 0; position <= name.length; position += 1) {
      const last = name[position - 1];
      const taken = part === last || (wild && (part.length > 1 || isOfSegment(last)));
      const before = position > 0 && taken && (wild ? next[position - 1] : reached[position - 1]);
      next[position] = before === true || (wild && reached[position] === true);
    }
    reached = next;
  }
  return reached[name.length] === true;
}

/** Whether the symbol stays within a segment. */
function isOfSegment(symbol: string | undefined): boolean {
  return symbol !== "/" && symbol?.startsWith("**") !== true;
}
