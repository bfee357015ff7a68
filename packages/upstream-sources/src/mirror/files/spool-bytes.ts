import { randomUUID } from "node:crypto";
import { mkdir, open, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";

/** Bytes that are appended once and read from any position. */
export type SpoolBytes = {
  /** Number of bytes. */
  size(): number;
  /** Copies the chunk. Waits for the disk when many bytes were appended. */
  append(chunk: Uint8Array): Promise<void>;
  /** Fills `memory`, or a part of it, with bytes that were appended. Returns at least one byte. */
  readAt(position: number, memory: Buffer): Promise<Uint8Array>;
  close(): Promise<void>;
};

/** Bytes up to which nothing is written to the disk. */
const BLOCK_BYTES = 768 * 1024;
const FIRST_BYTES = 16 * 1024;
/** Bytes that stay in memory after they were written, for readers close behind. */
const RECENT_BYTES = 256 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Creates bytes in memory, and from 768 KiB on in a file in `folder` that has no name. They are
 * copied to one block: chunks that were kept would live long, and V8 would search its whole heap
 * for every few hundred of them. `sizeHint`: the expected number of bytes, where it is known.
 */
export function createSpoolBytes(folder: string, sizeHint = 0): SpoolBytes {
  /** The last bytes, from `start` on. */
  let block = NOTHING;
  let start = 0;
  let size = 0;
  let written = 0;
  let file: FileHandle | undefined;

  const write = async () => {
    file ??= await openUnnamed(folder);
    await writeAll(file, block.subarray(written - start, size - start), written);
    written = size;
    block.copyWithin(0, size - RECENT_BYTES - start, size - start);
    start = size - RECENT_BYTES;
  };
  const makeRoom = async (bytes: number) => {
    if (block.length === BLOCK_BYTES) return write();
    const wanted = Math.max(sizeHint, FIRST_BYTES, 4 * block.length, block.length + bytes);
    const grown = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, wanted));
    block.copy(grown);
    block = grown;
  };

  return {
    size: () => size,
    async append(chunk) {
      for (let offset = 0; offset < chunk.length;) {
        if (size - start === block.length) await makeRoom(chunk.length - offset);
        const taken = Math.min(chunk.length - offset, block.length - (size - start));
        block.set(chunk.subarray(offset, offset + taken), size - start);
        offset += taken;
        size += taken;
      }
    },
    async readAt(position, memory) {
      if (position >= start && block.length > 0) {
        const length = block.copy(memory, 0, position - start, size - start);
        return memory.subarray(0, length);
      }
      if (!file) throw new Error("the transferred bytes are no longer there");
      const { bytesRead } = await file.read(memory, 0, memory.length, position);
      return memory.subarray(0, bytesRead);
    },
    async close() {
      const closing = file;
      file = undefined;
      block = NOTHING;
      await closing?.close();
    },
  };
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    const left = bytes.length - offset;
    const { bytesWritten } = await file.write(bytes, offset, left, position + offset);
    offset += bytesWritten;
  }
}

/** Opens a file and deletes its name, so that nothing of it stays when the process is killed. */
async function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, `${randomUUID()}.part`);
  const create = () => open(path, "wx+", 0o600);
  const file = await create().catch(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return create();
  });
  await unlink(path);
  return file;
}
