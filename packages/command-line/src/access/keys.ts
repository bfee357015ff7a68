import type { KeyDescription } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Adds a key to the key ring. Older keys stay for decryption. */
export async function rotateKeys(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const id = await resources.rotateKeyRing(operator());
  if (id === undefined) {
    throw new CommandError("Another instance has just added a key to the key ring.");
  }
  command.stdout(json ? JSON.stringify({ key: id }, undefined, 2) : id);
  return 0;
}

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
