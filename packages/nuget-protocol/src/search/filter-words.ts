import { createHash } from "node:crypto";

// What packages are filtered by, as words of an index: letters and digits alone, at least three,
// and none that a text could hold by chance matters, because they have a field of their own.

const HASH_LENGTH = 24;

export function typeWord(packageType: string): string {
  return wordFor("type", packageType);
}

export function frameworkWord(key: string): string {
  return wordFor("fw", key);
}

export function ownerWord(owner: string): string {
  return wordFor("own", owner);
}

/** Readable where the value is a word itself, otherwise a part of its hash. */
function wordFor(kind: string, value: string): string {
  const lower = value.trim().toLowerCase();
  if (/^[a-z]{1,24}$/.test(lower)) return `${kind}0${lower}`;
  return `${kind}1${createHash("sha256").update(lower).digest("hex").slice(0, HASH_LENGTH)}`;
}
