import { createHash } from "node:crypto";
import type { Digest } from "../digest.ts";
import { algorithmOf } from "../digest.ts";
import type { BlobObjects, BlobProblem } from "./ports.ts";

/** Waits as long as it takes to stay below a rate. */
export type Brake = (bytes: number) => Promise<void>;

/** What is wrong with the bytes of an object that is there; undefined: nothing. Holds one chunk in
 * memory. */
export async function verifyBytes(
  objects: Pick<BlobObjects, "read">,
  { key, digest, size }: { readonly key: string; readonly digest: Digest; readonly size: number },
  { brake, signal }: { readonly brake: Brake; readonly signal?: AbortSignal | undefined },
): Promise<Exclude<BlobProblem, "missing"> | undefined> {
  const hash = createHash(algorithmOf(digest));
  let read = 0;
  for await (const chunk of objects.read(key)) {
    signal?.throwIfAborted();
    hash.update(chunk);
    read += chunk.length;
    if (read > size) return "size";
    await brake(chunk.length);
  }
  if (read !== size) return "size";
  return `${algorithmOf(digest)}:${hash.digest("hex")}` === digest ? undefined : "digest";
}

/** `bytesPerSecond` undefined: as fast as it goes. */
export function createBrake(
  bytesPerSecond: number | undefined,
  { now, wait }: { readonly now: () => number; readonly wait: (ms: number) => Promise<unknown> },
): Brake {
  if (bytesPerSecond === undefined) return async () => {};
  let freeAt = now();
  return async (bytes) => {
    // Time that was not used is not made up for later.
    freeAt = Math.max(freeAt, now()) + (bytes * 1000) / bytesPerSecond;
    const ms = freeAt - now();
    if (ms > 0) await wait(ms);
  };
}
