import { guardedBody } from "../guarded-body.ts";
import type { BodyLimits } from "../guarded-body.ts";

/** The most bytes of a `keep` write: drivers of services hold them in memory. */
export const KEEP_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads the body of a `keep` write. Rejects with `storage-too-large` beyond `KEEP_BYTES_MAX` or the
 * caller's own limit.
 */
export async function collectedBody(
  body: AsyncIterable<Uint8Array>,
  { maxBytes = KEEP_BYTES_MAX, ...limits }: BodyLimits,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const guarded = guardedBody(body, { ...limits, maxBytes: Math.min(maxBytes, KEEP_BYTES_MAX) });
  // Copies the chunk, because its producer may reuse the memory.
  for await (const chunk of guarded) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}
