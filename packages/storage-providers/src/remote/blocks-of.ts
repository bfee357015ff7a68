/** A block of a body. */
export type Block = {
  readonly bytes: Uint8Array;
  /** Whether the body ends with this block. */
  readonly isLast: boolean;
  /** Returns the memory for a later block. Call it once, when nothing reads the bytes. */
  readonly release: () => void;
};

/** The first block starts with this and grows, so that a small body takes little memory. */
const FIRST_BYTES = 64 * 1024;

/**
 * Collects a body in blocks for the requests of a service. Copies the chunks, because their
 * producer may reuse the memory. Yields at least one block; only that of an empty body is empty.
 * Memory: the blocks that the caller has not released, and one more.
 *
 * `blockBytes` returns the size of a block by its index, from 0.
 */
export async function* blocksOf(
  body: AsyncIterable<Uint8Array>,
  blockBytes: (index: number) => number,
): AsyncGenerator<Block, void, undefined> {
  const free: Buffer[] = [];
  let index = 0;
  let block = openBlock(blockBytes(0), free, FIRST_BYTES);
  for await (const chunk of body) {
    let rest = chunk;
    while (rest.length > 0) {
      if (block.isFull()) {
        yield block.close(false);
        index += 1;
        block = openBlock(blockBytes(index), free);
      }
      rest = rest.subarray(block.add(rest));
    }
  }
  yield block.close(true);
}

function openBlock(size: number, free: Buffer[], firstBytes = size) {
  const spare = free.findIndex(({ length }) => length === size);
  let memory =
    free.splice(spare, spare < 0 ? 0 : 1)[0] ?? Buffer.allocUnsafeSlow(Math.min(size, firstBytes));
  let filled = 0;
  return {
    isFull: () => filled === size,
    /** Copies what has room, and returns its number of bytes. */
    add(chunk: Uint8Array): number {
      const part = chunk.subarray(0, size - filled);
      if (filled + part.length > memory.length) {
        const length = Math.min(size, Math.max(2 * memory.length, filled + part.length));
        const grown = Buffer.allocUnsafeSlow(length);
        memory.copy(grown, 0, 0, filled);
        memory = grown;
      }
      memory.set(part, filled);
      filled += part.length;
      return part.length;
    },
    close(isLast: boolean): Block {
      const bytes = memory.subarray(0, filled);
      return { bytes, isLast, release: () => void free.push(memory) };
    },
  };
}
