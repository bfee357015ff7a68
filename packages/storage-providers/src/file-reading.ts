import { constants, close, open, read } from "node:fs";
import { open as openHandle } from "node:fs/promises";
import { promisify } from "node:util";

/** Up to this size a file is read at once and closed before its bytes are handed out. */
const SMALL_BYTES = 128 * 1024;
const CHUNK_BYTES = 256 * 1024;
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW;

const openFile = promisify(open);
const closeFile = promisify(close);
const readFile = promisify(read);

/** Opens the file when the first chunk is asked for. Ends early when the file is shorter. */
export async function* fileChunks(
  path: string,
  start: number,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (length <= 0) return;
  if (length <= SMALL_BYTES) {
    yield await readAtOnce(path, start, length);
    return;
  }
  await using file = await openHandle(path, READ_ONLY);
  const end = start + length;
  for (let at = start; at < end;) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/** Plain descriptors: for small files the promise-based handles cost more than the reading. */
async function readAtOnce(path: string, start: number, length: number): Promise<Uint8Array> {
  const descriptor = await openFile(path, READ_ONLY);
  try {
    const bytes = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await readFile(
        descriptor,
        bytes,
        filled,
        length - filled,
        start + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await closeFile(descriptor);
  }
}
