import validRange from "semver/ranges/valid.js";

/** A name that points to a version. */
export type DistTag = string & { readonly distTag: unique symbol };

/** Maximum number of dist-tags of a package. Imports and mirrors take more. */
export const DIST_TAGS_MAX = 1_000;
/** Maximum number of dist-tags that one publish sets. Clients send one. */
export const PUBLISHED_TAGS_MAX = 10;

const LENGTH_MAX = 128;
/** Version ranges begin with a digit, a sign, v or x, and asking is dear. */
const NO_RANGE = /^[a-uwyz]/i;

/** Undefined for what a client could not ask for: a tag must need no encoding in an address and
 * must not read as a version range (`1.x`, `v2`, `*`). */
export function parseDistTag(text: string): DistTag | undefined {
  if (text.length === 0 || text.length > LENGTH_MAX) return undefined;
  if (!/^[\w.\-~'!()*]+$/.test(text)) return undefined;
  if (!NO_RANGE.test(text) && validRange(text) !== null) return undefined;
  if (text === "__proto__" || text === "." || text === "..") return undefined;
  return text as DistTag;
}
