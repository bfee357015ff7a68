import { randomUUID } from "node:crypto";
import { mkdir, open, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";

/** Bytes that are appended once and read from any position. */
export type SpoolBytes = {
  /** Number of bytes. */
  size(): number;
  /** Waits for the disk when many bytes were appended. */
  append(chunk: Uint8Array): Promise<void>;
  /** Returns at least one byte and at most `end - start` of those that were appended. */
  readAt(start: number, end: number): Promise<Uint8Array>;
  close(): Promise<void>;
};

/** Bytes that are written at once. Nothing is written while there are fewer. */
const BLOCK_BYTES = 512 * 1024;
/** A file takes at most 1,024 pieces at once. */
const BLOCK_PIECES = 256;
/** Bytes that stay in memory after they were written, for readers close behind. */
const RECENT_BYTES = 256 * 1024;
const CHUNK_BYTES = 256 * 1024;

type Piece = { readonly start: number; readonly bytes: Uint8Array };

/**
 * Creates bytes in memory, and from 512 KiB on in a file in `folder` that has no name. The memory
 * of appended chunks must not be reused.
 */
export function createSpoolBytes(folder: string): SpoolBytes {
  let size = 0;
  let written = 0;
  let file: FileHandle | undefined;
  let isClosed = false;
  /** The last bytes, without gaps. */
  let recent: Piece[] = [];

  const write = async () => {
    const unwritten = recent.filter(({ start }) => start >= written);
    file ??= await openUnnamed(folder);
    const chunks = unwritten.map(({ bytes }) => bytes);
    await writeAll(file, chunks, written);
    written = size;
    recent = unwritten
      .slice(-BLOCK_PIECES / 2)
      .filter(({ start, bytes }) => start + bytes.length > size - RECENT_BYTES);
  };

  return {
    size: () => size,
    async append(chunk) {
      if (chunk.length === 0) return;
      recent.push({ start: size, bytes: chunk });
      size += chunk.length;
      const pieces = recent.length;
      if (size - written >= BLOCK_BYTES || pieces >= BLOCK_PIECES) await write();
    },
    async readAt(start, end) {
      if (isClosed) throw new Error("the transferred bytes are no longer there");
      const piece = pieceAt(recent, start);
      if (piece) return piece.bytes.subarray(start - piece.start, end - piece.start);
      if (!file) throw new Error("the transferred bytes are no longer there");
      const length = Math.min(end - start, CHUNK_BYTES);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    },
    async close() {
      const closing = file;
      file = undefined;
      recent = [];
      isClosed = true;
      await closing?.close();
    },
  };
}

/** Undefined when the position is before the first piece. */
function pieceAt(pieces: readonly Piece[], position: number): Piece | undefined {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.start ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return pieces[low - 1];
}

async function writeAll(
  file: FileHandle,
  chunks: readonly Uint8Array[],
  position: number,
): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, position);
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (bytesWritten === size) return;
  // A disk that is nearly full takes a part.
  const bytes = Buffer.concat(chunks, size);
  for (let offset = bytesWritten; offset < size;) {
    const more = await file.write(bytes, offset, size - offset, position + offset);
    offset += more.bytesWritten;
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
