import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";

/**
 * Maximum number of entries in lists of a published manifest. Imports and mirrors take longer ones.
 */
export const LIST_LIMITS = {
  keywords: 1_000,
  bin: 1_000,
  dependencies: 5_000,
  devDependencies: 5_000,
  optionalDependencies: 5_000,
  peerDependencies: 5_000,
  peerDependenciesMeta: 5_000,
  bundleDependencies: 5_000,
  bundledDependencies: 5_000,
  contributors: 5_000,
} as const;

/**
 * Counts entries before anything reads them.
 *
 * @throws NpmError `document-invalid` with the field, its number of entries and the limit
 */
export function requireShortLists(manifest: JsonObject): void {
  for (const [field, max] of Object.entries(LIST_LIMITS)) {
    const count = lengthOf(manifest[field]);
    if (count <= max) continue;
    throw new NpmError(
      "document-invalid",
      `${field} in package.json has ${count} entries; a published version has at most ${max}. ` +
        "Remove some, and publish again.",
    );
  }
}

function lengthOf(value: unknown): number {
  // npm splits a text of dependencies or keywords at blanks and commas.
  if (typeof value === "string") return value.match(/[\s,]+/g)?.length ?? 0;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}
