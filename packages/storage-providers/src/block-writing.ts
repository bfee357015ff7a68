/** Bytes per write to the file system. */
export const BLOCK_BYTES = 256 * 1024;
/** What a block begins with: most bodies are small, and memory costs when it is asked for. */
const FIRST_BYTES = 16 * 1024;

/**
 * Collects chunks of any size into blocks, so that a body of one-byte chunks costs no more calls
 * than one of large chunks. One block is written while the next one fills; the body is not asked
 * for more before that (512 KiB at most are held). Resolves to the number of bytes.
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
  let writing: Promise<void> = Promise.resolve();

  const flush = async () => {
    await writing;
    writing = write(block.subarray(0, filled));
    // Awaited by the next flush or at the end; until then a rejection must not count as unhandled.
    writing.catch(() => undefined);
  };

  const goOn = () => {
    [block, spare] = [spare ?? Buffer.allocUnsafeSlow(BLOCK_BYTES), block];
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
        const taken = Math.min(chunk.length - at, BLOCK_BYTES - filled);
        makeRoom(filled + taken);
        block.set(taken === chunk.length ? chunk : chunk.subarray(at, at + taken), filled);
        at += taken;
        filled += taken;
        if (filled < BLOCK_BYTES) continue;
        await flush();
        goOn();
      }
    },
    async end() {
      if (filled > 0) await flush();
      await writing;
    },
    settled: () => writing.catch(() => undefined),
  };
}
