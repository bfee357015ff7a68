import { coversName } from "@sealhouse/identity";

const EXPRESSION_MAX = 1_000;

/**
 * Whether a licence expression such as `(MIT OR GPL-3.0-only) AND Zlib` leaves no choice but one of
 * `patterns`: of alternatives all must match. Letter case does not matter.
 */
export function requiresLicense(expression: string, patterns: readonly string[]): boolean {
  const tokens = expression.slice(0, EXPRESSION_MAX).match(/[()]|[^\s()]+/g) ?? [];
  const isOne = (id: string) => patterns.some((pattern) => coversName(pattern, "nuget", id));
  return readAlternatives({ tokens, position: 0 }, isOne);
}

type Reader = { readonly tokens: readonly string[]; position: number };
type IsOne = (id: string) => boolean;

function readAlternatives(reader: Reader, isOne: IsOne): boolean {
  let all = readParts(reader, isOne);
  while (isNext(reader, "OR")) {
    // Both sides are read in any case.
    const part = readParts(reader, isOne);
    all = all && part;
  }
  return all;
}

function readParts(reader: Reader, isOne: IsOne): boolean {
  let any = readTerm(reader, isOne);
  while (isNext(reader, "AND")) {
    const term = readTerm(reader, isOne);
    any = any || term;
  }
  return any;
}

function readTerm(reader: Reader, isOne: IsOne): boolean {
  if (isNext(reader, "(")) {
    const inner = readAlternatives(reader, isOne);
    isNext(reader, ")");
    return inner;
  }
  const id = reader.tokens[reader.position] ?? "";
  reader.position += 1;
  if (isNext(reader, "WITH")) reader.position += 1;
  return isOne(id);
}

/** Steps over the token if it is the next one. */
function isNext(reader: Reader, token: string): boolean {
  const isIt = reader.tokens[reader.position]?.toUpperCase() === token;
  if (isIt) reader.position += 1;
  return isIt;
}
