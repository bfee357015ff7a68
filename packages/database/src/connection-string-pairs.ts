import { ConnectionStringError } from "./errors.ts";

/** The parts of a connection string by their keys, unchanged. */
export type Pairs = ReadonlyMap<string, string>;

const PAIR = /\s*([^=;]+?)\s*=\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([^;]*?))\s*(?:;|$)/y;

/** Parses `Key=Value;…`. A value with a semicolon needs quotes, which are doubled inside it. */
export function pairsOf(text: string): Pairs {
  const pairs = new Map<string, string>();
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < text.length) {
    const start = PAIR.lastIndex;
    const match = PAIR.exec(text);
    if (!match) {
      if (/^[\s;]*$/.test(text.slice(start))) break;
      throw new ConnectionStringError(
        `part ${pairs.size + 1}`,
        'use parts of the form "Key=Value", separated by semicolons.',
      );
    }
    const [, key = "", double, single, plain = ""] = match;
    pairs.set(key, double?.replaceAll('""', '"') ?? single?.replaceAll("''", "'") ?? plain);
  }
  return pairs;
}

/** `scheme://user:password@host:port/database?key=value` in the same form. */
export function urlPairs(text: string): Pairs {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new ConnectionStringError("URL", "it is not a valid URL.");
  const parts: [string, string][] = [
    ["host", decoded(url.hostname.replace(/^\[(.*)\]$/, "$1"), "host")],
    ["port", url.port],
    ["user", decoded(url.username, "user name")],
    ["password", decoded(url.password, "password")],
    ["database", decoded(url.pathname.slice(1), "database")],
  ];
  return new Map([...parts.filter(([, value]) => value !== ""), ...url.searchParams]);
}

export function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConnectionStringError(part, "each % must precede two hexadecimal digits.");
  }
}

/** Spaces, dashes and case make no difference in a key. */
export function keyOf(key: string): string {
  return key.toLowerCase().replaceAll(/[\s_-]/g, "");
}

export function unknownKey(key: string, knownKeys: readonly string[]): ConnectionStringError {
  return new ConnectionStringError(key, `unknown part. Known: ${knownKeys.join(", ")}.`);
}
