import { randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";

/** Bytes that are appended once and read from any position. */
export type SpoolBytes = {
  /** Number of bytes. */
  size(): number;
  /** Waits for the disk. */
  append(chunk: Uint8Array): Promise<void>;
  /** Returns at least one byte and at most `end - start` of those that were appended. */
  readAt(start: number, end: number): Promise<Uint8Array>;
  close(): Promise<void>;
};

/** Bytes up to which nothing is written to the disk. */
const MEMORY_BYTES = 256 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Creates bytes in memory, and from 256 KiB on in a file in `folder` that has no name. */
export function createSpoolBytes(folder: string): SpoolBytes {
  let size = 0;
  let memory: readonly Uint8Array[] | undefined = [];
  let file: FileHandle | undefined;
  return {
    size: () => size,
    async append(chunk) {
      if (memory && size + chunk.length <= MEMORY_BYTES) {
        memory = [...memory, Buffer.from(chunk)];
      } else {
        file ??= await openUnnamed(folder);
        if (memory) await writeAll(file, Buffer.concat(memory), 0);
        memory = undefined;
        await writeAll(file, chunk, size);
      }
      size += chunk.length;
    },
    async readAt(start, end) {
      const length = Math.min(end - start, CHUNK_BYTES);
      if (memory) return Buffer.concat(memory).subarray(start, start + length);
      if (!file) throw new Error("the transferred bytes are no longer there");
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    },
    async close() {
      const closing = file;
      file = undefined;
      memory = undefined;
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
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}.part`);
  const file = await open(path, "wx+", 0o600);
  await rm(path);
  return file;
}
