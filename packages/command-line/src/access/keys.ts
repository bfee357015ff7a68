import type { KeyDescription } from "@sealhouse/identity";

const DAY_MS = 24 * 60 * 60_000;

/** Returns a line for each key of the key ring: number, id, age, state. */
export function linesOfKeys(keys: readonly KeyDescription[], now: Date): readonly string[] {
  return keys.map(({ id, number, createdAt, isWrapped, isNewest }) => {
    const days = Math.max(0, Math.floor((now.getTime() - createdAt.getTime()) / DAY_MS));
    const age = `created ${createdAt.toISOString().slice(0, 10)}, ${days} days ago`;
    const file = isWrapped ? "encrypted file" : "plain file";
    const use = isNewest ? "encrypts and decrypts" : "decrypts";
    return [`key ${number}`, id, age, file, use].join("  ");
  });
}
