import { isObject, namesPrototype } from "../json.ts";
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

/**
 * Reads the package.json of a tarball. Refuses a duplicate guarded key: readers differ in which
 * value they use.
 */
export function parsePackageJson(bytes: Buffer): JsonObject {
  const { text, value } = parse(bytes);
  if (!isObject(value)) throw refused("has a package.json that is not a JSON object");
  if (namesPrototype(text, value)) throw refused('has a package.json with the key "__proto__"');
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

/** Depth of objects and lists; a deeper manifest could not be sent with the publish either. */
const DEPTH_MAX = 64;

/**
 * Duplicate keys of the outermost object, or of an object directly inside it, with the key of the
 * latter. `text` is valid JSON.
 */
function repeatedKeysOf(text: string): readonly [key: string, parent: string | undefined][] {
  const repeated: [string, string | undefined][] = [];
  const seen = [new Set<string>(), new Set<string>()];
  let parent: string | undefined;
  for (const { depth, text: key } of outerTokensOf(text)) {
    if (key === undefined) {
      if (depth === 2) seen[1]?.clear();
      continue;
    }
    const keys = seen[depth - 1];
    if (keys?.has(key)) repeated.push([key, depth === 2 ? parent : undefined]);
    keys?.add(key);
    if (depth === 1) parent = key;
  }
  return repeated;
}

/** For valid JSON: the openings at the outer two levels, and their keys. */
function* outerTokensOf(json: string): Generator<{ depth: number; text?: string }> {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const char = json.charAt(index);
    if (char === '"') {
      const end = endOfString(json, index);
      const isKey = depth <= 2 && isColonNext(json, end);
      if (isKey) yield { depth, text: JSON.parse(json.slice(index, end)) as string };
      index = end - 1;
    } else if (char === "{" || char === "[") {
      depth += 1;
      if (depth > DEPTH_MAX) throw refused(`has a package.json over ${DEPTH_MAX} levels deep`);
      if (depth <= 2) yield { depth };
    } else if (char === "}" || char === "]") {
      depth -= 1;
    }
  }
}

/** One past the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text.charAt(index) !== '"') index += text.charAt(index) === "\\" ? 2 : 1;
  return index + 1;
}

function isColonNext(text: string, start: number): boolean {
  let index = start;
  while (" \t\r\n".includes(text.charAt(index)) && index < text.length) index += 1;
  return text.charAt(index) === ":";
}
