import type { ByteRange } from "./object-store.ts";

/** Returns bytes as a body of one chunk; no chunk when they are empty. */
export async function* oneChunk(
  bytes: Uint8Array,
  range?: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
  if (part.length > 0) yield part;
}
