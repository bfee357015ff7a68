import { createLending } from "./lending.ts";
import type { Loan } from "./lending.ts";

/** Bytes of the first write to the file system. */
export const BLOCK_BYTES = 256 * 1024;
/** Bytes of each further one, while there is memory for it: four times fewer detours over a
 * thread. */
export const LARGE_BLOCK_BYTES = 1024 * 1024;
/** What a block begins with: most bodies are small, and memory costs when it is asked for. */
const FIRST_BYTES = 16 * 1024;

/** A block that fills so slowly is written as it is: the file of a running request never looks like
 * one that a killed process left. */
const FLUSH_AFTER_MS = 60_000;

/** Two blocks of each body. */
const borrow = createLending({
  much: 2 * LARGE_BLOCK_BYTES,
  little: 2 * BLOCK_BYTES,
  bytesMax: 64 * 1024 * 1024,
});

/**
 * Collects chunks of any size into blocks, so that a body of one-byte chunks costs no more calls
 * than one of large chunks. One block is written while the next one fills; the body is not asked
 * for more before that (2 MiB at most are held). Resolves to the number of bytes.
 */
export async function writeInBlocks(
  body: AsyncIterable<Uint8Array>,
  write: (block: Uint8Array) => Promise<void>,
): Promise<number> {
  const writer = createBlockWriter(write);
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      await writer.add(chunk);
    }
    await writer.end();
    return size;
  } finally {
    await writer.settled();
  }
}

function createBlockWriter(write: (block: Uint8Array) => Promise<void>) {
  let block: Uint8Array = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let spare: Uint8Array | undefined;
  let filled = 0;
  let loan: Loan | undefined;
  let writing: Promise<void> = Promise.resolve();
  let flushedAt = performance.now();
  const isOverdue = () => performance.now() - flushedAt > FLUSH_AFTER_MS;
  const blockBytes = () => (loan ? loan.bytes / 2 : BLOCK_BYTES);

  const flush = async () => {
    await writing;
    flushedAt = performance.now();
    writing = write(block.subarray(0, filled));
    // Awaited by the next flush or at the end; until then a rejection must not count as unhandled.
    writing.catch(() => undefined);
  };

  const goOn = () => {
    const used = loan ? block : undefined;
    loan ??= borrow();
    [block, spare] = [spare ?? Buffer.allocUnsafeSlow(blockBytes()), used];
    filled = 0;
  };

  const makeRoom = (bytes: number) => {
    if (bytes <= block.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, Math.max(bytes, 4 * block.length)));
    grown.set(block.subarray(0, filled));
    block = grown;
  };

  return {
    async add(chunk: Uint8Array) {
      for (let at = 0; at < chunk.length;) {
        const taken = Math.min(chunk.length - at, blockBytes() - filled);
        makeRoom(filled + taken);
        block.set(taken === chunk.length ? chunk : chunk.subarray(at, at + taken), filled);
        at += taken;
        filled += taken;
        if (filled < blockBytes() && !isOverdue()) continue;
        await flush();
        goOn();
      }
    },
    async end() {
      if (filled > 0) await flush();
      await writing;
    },
    async settled() {
      await writing.catch(() => undefined);
      loan?.[Symbol.dispose]();
    },
  };
}
