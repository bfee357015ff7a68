import { OciError } from "../errors.ts";

/**
 * Yields the bytes of a body and checks their number. Throws `SIZE_INVALID` if it is not
 * `expected`, and 413 if the blob, which already has `offset` bytes, exceeds `maxBlobBytes`.
 */
export async function* measured(
  body: AsyncIterable<Uint8Array>,
  limits: { readonly expected?: number; readonly offset: number; readonly maxBlobBytes: number },
): AsyncGenerator<Uint8Array> {
  const { expected, offset, maxBlobBytes } = limits;
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (offset + size > maxBlobBytes) throw tooLarge(maxBlobBytes);
    if (expected !== undefined && size > expected) break;
    yield chunk;
  }
  if (expected !== undefined && size !== expected) {
    const came = size > expected ? "more" : "only";
    const message = `announced were ${expected} bytes, ${came} ${Math.min(size, expected)} came`;
    throw new OciError("SIZE_INVALID", { message });
  }
}

/** Returns the bytes of a body of at most `max` bytes; otherwise an equivalent body. */
export async function wholeIfSmall(
  body: AsyncIterable<Uint8Array>,
  max: number,
): Promise<Uint8Array | AsyncGenerator<Uint8Array>> {
  const iterator = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value, done } = await iterator.next();
    if (done) return Buffer.concat(chunks);
    // Copies, because the source may reuse the memory of a chunk.
    chunks.push(Uint8Array.from(value));
    size += value.length;
    if (size > max) return rejoined(Buffer.concat(chunks), iterator);
  }
}

/** Yields the bytes received before, then the rest. */
export async function* following(
  bytes: Uint8Array | undefined,
  body?: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (bytes && bytes.length > 0) yield bytes;
  if (body) yield* body;
}

/** Returns an equivalent body; undefined if it is empty. */
export async function unlessEmpty(
  body: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const iterator = body[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await iterator.next();
    if (done) return undefined;
    if (value.length > 0) return rejoined(value, iterator);
  }
}

export function tooLarge(maxBlobBytes: number): OciError {
  const message = `the blob is larger than the maximum of ${maxBlobBytes} bytes`;
  return new OciError("SIZE_INVALID", { status: 413, message });
}

async function* rejoined(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (;;) {
      const { value, done } = await rest.next();
      if (done) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}
