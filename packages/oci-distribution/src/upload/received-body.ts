import { OciError } from "../errors.ts";

/**
 * The same bytes, as long as they keep what was said about them. Throws `SIZE_INVALID` when there
 * are more or fewer than `expected`, and as 413 when the blob, of which `offset` bytes are there
 * already, grows over `maxBlobBytes`.
 */
export async function* measured(
  body: AsyncIterable<Uint8Array>,
  said: { readonly expected?: number; readonly offset: number; readonly maxBlobBytes: number },
): AsyncGenerator<Uint8Array> {
  const { expected, offset, maxBlobBytes } = said;
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

/** The bytes of a body that has `max` of them at most; else the same body again. */
export async function wholeIfSmall(
  body: AsyncIterable<Uint8Array>,
  max: number,
): Promise<Uint8Array | AsyncGenerator<Uint8Array>> {
  const iterator = body[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value, done } = await iterator.next();
    if (done) return Buffer.concat(held);
    // A copy: who makes the chunks may use their memory again.
    held.push(Uint8Array.from(value));
    size += value.length;
    if (size > max) return rejoined(Buffer.concat(held), iterator);
  }
}

/** What is there already and what follows it. */
export async function* following(
  bytes: Uint8Array | undefined,
  body?: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (bytes && bytes.length > 0) yield bytes;
  if (body) yield* body;
}

/** The same body, or undefined when it has no byte. */
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
  const message = `a blob may have ${maxBlobBytes} bytes at most`;
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
