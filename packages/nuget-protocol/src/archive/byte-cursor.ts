import { ArchiveError } from "./archive-error.ts";

/** Walks once over a stream of chunks, by lengths instead of chunk borders. */
export type ByteCursor = {
  /** Bytes consumed so far. */
  position(): number;
  /** The next bytes as one piece; for headers, not for content. */
  take(length: number): Promise<Uint8Array>;
  /** The next bytes as they come. Must be consumed before the next call. */
  stream(length: number): AsyncGenerator<Uint8Array, void, undefined>;
  skip(length: number): Promise<void>;
};

/** The caller owns the iterator, and so closes it. */
export function createByteCursor(chunks: AsyncIterator<Uint8Array>): ByteCursor {
  let rest: Uint8Array = new Uint8Array(0);
  let position = 0;

  async function next(most: number): Promise<Uint8Array> {
    while (rest.length === 0) {
      const { done, value } = await chunks.next();
      if (done === true) throw new ArchiveError("The file ends before its content does.");
      rest = value;
    }
    const piece = rest.subarray(0, most);
    rest = rest.subarray(piece.length);
    position += piece.length;
    return piece;
  }

  async function* stream(length: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let left = length; left > 0;) {
      const piece = await next(left);
      left -= piece.length;
      yield piece;
    }
  }

  async function take(length: number): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array(0);
    const first = await next(length);
    if (first.length === length) return first;
    const whole = new Uint8Array(length);
    whole.set(first);
    for (let filled = first.length; filled < length;) {
      const piece = await next(length - filled);
      whole.set(piece, filled);
      filled += piece.length;
    }
    return whole;
  }

  async function skip(length: number): Promise<void> {
    for (let left = length; left > 0;) left -= (await next(left)).length;
  }

  return { position: () => position, take, stream, skip };
}
