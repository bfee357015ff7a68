import type { ByteRange, ObjectKey } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";
import { StorageError } from "./storage-error.ts";

/**
 * Where blobs of few bytes are: with the row that names them instead of in objects of their own,
 * which saves the file and its two syncs. Whoever names such a blob keeps its bytes in the same
 * change, so they are there as long as the name is, and never without one.
 */
export interface SmallBlobs {
  /** Blobs of so many bytes at most are kept this way. */
  readonly bytesMax: number;
  /** Undefined: none is named by this key. */
  read(key: string): Promise<Uint8Array | undefined>;
  delete(key: string): Promise<void>;
}

const MARK = "row-";

/** The generation of a blob that is no object. */
export function rowGeneration(random: string): string {
  return `${MARK}${random}`;
}

/** Whether the bytes of this blob are with its row: told by the key alone. */
export function isInRow(key: string): boolean {
  return key.startsWith(MARK, key.lastIndexOf(".") + 1);
}

export async function* bytesInRow(
  small: SmallBlobs | undefined,
  key: ObjectKey,
  range?: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = await small?.read(key);
  if (!bytes) throw new StorageError("storage-not-found", `cannot read ${key}: no row has it`);
  yield* oneChunk(bytes, range);
}
