import { createMemoryBudget } from "./memory-budget.ts";
import type { MemoryLease } from "./memory-budget.ts";

/** Bytes of the first write to the file system. */
export const BLOCK_BYTES = 256 * 1024;
/**
 * Bytes of each later write while memory is available. A larger block needs fewer thread switches.
 */
export const LARGE_BLOCK_BYTES = 1024 * 1024;
/** Initial size of a block. Most bodies are small, so a full block would waste memory. */
const FIRST_BYTES = 16 * 1024;

/**
 * Milliseconds after which a partial block is written. The file of a running request therefore
 * never looks like a leftover of a killed process.
 */
const FLUSH_AFTER_MS = 60_000;

/** Each body needs two blocks. */
const leaseMemory = createMemoryBudget({
  much: 2 * LARGE_BLOCK_BYTES,
  little: 2 * BLOCK_BYTES,
  bytesMax: 64 * 1024 * 1024,
});

/**
 * Collects chunks into blocks, so that many small chunks cost no more calls than a few large ones.
 * One block is written while the next fills; reading pauses until then, so at most 2 MiB are in
 * memory. Resolves to the number of bytes.
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
  let lease: MemoryLease | undefined;
  let writing: Promise<void> = Promise.resolve();
  let flushedAt = performance.now();
  const isOverdue = () => performance.now() - flushedAt > FLUSH_AFTER_MS;
  const blockBytes = () => (lease ? lease.bytes / 2 : BLOCK_BYTES);

  const flush = async () => {
    await writing;
    flushedAt = performance.now();
    writing = write(block.subarray(0, filled));
    // The next flush or the end awaits it; until then a rejection must not count as unhandled.
    writing.catch(() => undefined);
  };

  const goOn = () => {
    const used = lease ? block : undefined;
    lease ??= leaseMemory();
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
      for (let offset = 0; offset < chunk.length;) {
        const taken = Math.min(chunk.length - offset, blockBytes() - filled);
        makeRoom(filled + taken);
        block.set(taken === chunk.length ? chunk : chunk.subarray(offset, offset + taken), filled);
        offset += taken;
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
      lease?.[Symbol.dispose]();
    },
  };
}
