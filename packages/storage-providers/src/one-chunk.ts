import type { ByteRange } from "./object-store.ts";

/** Bytes that are in memory as a body: one chunk, or none where there is nothing of them. */
export async function* oneChunk(
  bytes: Uint8Array,
  range?: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
  if (part.length > 0) yield part;
}
