import { isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { refused } from "./refused.ts";

/** Keys that decide what runs and what is installed. */
const GUARDED = new Set([
  "name",
  "version",
  "scripts",
  "bin",
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "bundleDependencies",
  "bundledDependencies",
  "engines",
  "os",
  "cpu",
  "libc",
]);

/** Reads the package.json of a tarball. A guarded key that stands there twice is refused: readers
 * differ in which of the two they take. */
export function parsePackageJson(bytes: Buffer): JsonObject {
  const { text, value } = parse(bytes);
  if (!isObject(value)) throw refused("has a package.json that is no JSON object");
  const twice = repeatedKeysOf(text).find(
    ([key, parent]) => (parent === undefined && GUARDED.has(key)) || parent === "scripts",
  );
  if (twice) throw refused(`has a package.json with ${JSON.stringify(twice[0])} twice`);
  return value;
}

function parse(bytes: Buffer): { text: string; value: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (cause) {
    throw refused("has a package.json that is not valid JSON in UTF-8", cause);
  }
}

/** The keys that stand twice in the outermost object or in an object right inside it, with the key
 * of the latter. `text` is valid JSON. */
function repeatedKeysOf(text: string): readonly [key: string, parent: string | undefined][] {
  const repeated: [string, string | undefined][] = [];
  const seen = [new Set<string>(), new Set<string>()];
  let depth = 0;
  let parent: string | undefined;
  for (const { token, isKey } of tokensOf(text)) {
    if (token === "{" || token === "[") {
      depth += 1;
      if (depth === 2) seen[1]?.clear();
    } else if (token === "}" || token === "]") {
      depth -= 1;
    } else if (isKey && depth <= 2) {
      const key = JSON.parse(token) as string;
      const keys = seen[depth - 1];
      if (keys?.has(key)) repeated.push([key, depth === 2 ? parent : undefined]);
      keys?.add(key);
      if (depth === 1) parent = key;
    }
  }
  return repeated;
}

/** Brackets and strings of valid JSON. */
function* tokensOf(text: string): Generator<{ token: string; isKey: boolean }> {
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') {
      const end = endOfString(text, at);
      yield { token: text.slice(at, end), isKey: isColonNext(text, end) };
      at = end - 1;
    } else if ("{}[]".includes(char)) {
      yield { token: char, isKey: false };
    }
  }
}

/** One past the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
}

function isColonNext(text: string, start: number): boolean {
  let at = start;
  while (" \t\r\n".includes(text.charAt(at)) && at < text.length) at += 1;
  return text.charAt(at) === ":";
}
