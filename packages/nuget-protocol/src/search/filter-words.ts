import { createHash } from "node:crypto";

// Filters of packages as words of an index: only letters and digits, at least three characters.
// They have a separate field, so equal words in a text do not matter.

const HASH_LENGTH = 24;

/** The filter word of a package type. */
export function typeWord(packageType: string): string {
  return wordFor("type", packageType);
}

/** The filter word of a target framework's key. */
export function frameworkWord(key: string): string {
  return wordFor("fw", key);
}

/** The filter word of an owner. */
export function ownerWord(owner: string): string {
  return wordFor("own", owner);
}

/** Readable where the value is a word itself, otherwise a part of its hash. */
function wordFor(kind: string, value: string): string {
  const lower = value.trim().toLowerCase();
  if (/^[a-z]{1,24}$/.test(lower)) return `${kind}0${lower}`;
  return `${kind}1${createHash("sha256").update(lower).digest("hex").slice(0, HASH_LENGTH)}`;
}
