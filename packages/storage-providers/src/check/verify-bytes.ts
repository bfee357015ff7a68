import { createHash } from "node:crypto";
import type { BlobObjects, BlobProblem } from "./ports.ts";

/** Delays the caller to stay below a rate. */
export type RateLimit = (bytes: number) => Promise<void>;

/**
 * Reads an object and compares its bytes with the digest. Undefined when they match. Uses the
 * memory of one chunk.
 */
export async function verifyBytes(
  objects: Pick<BlobObjects, "read">,
  { key, digest, size }: { readonly key: string; readonly digest: string; readonly size: number },
  {
    rateLimit,
    signal,
  }: { readonly rateLimit: RateLimit; readonly signal?: AbortSignal | undefined },
): Promise<Exclude<BlobProblem, "missing"> | undefined> {
  const [algorithm = ""] = digest.split(":");
  const hash = createHash(algorithm);
  let read = 0;
  for await (const chunk of objects.read(key)) {
    signal?.throwIfAborted();
    hash.update(chunk);
    read += chunk.length;
    if (read > size) return "size";
    await rateLimit(chunk.length);
  }
  if (read !== size) return "size";
  return `${algorithm}:${hash.digest("hex")}` === digest ? undefined : "digest";
}

/** `bytesPerSecond` undefined: no limit. */
export function createRateLimit(
  bytesPerSecond: number | undefined,
  { now, wait }: { readonly now: () => number; readonly wait: (ms: number) => Promise<unknown> },
): RateLimit {
  if (bytesPerSecond === undefined) return async () => {};
  let freeAt = now();
  return async (bytes) => {
    // Idle time gives no credit for later.
    freeAt = Math.max(freeAt, now()) + (bytes * 1000) / bytesPerSecond;
    const ms = freeAt - now();
    if (ms > 0) await wait(ms);
  };
}
