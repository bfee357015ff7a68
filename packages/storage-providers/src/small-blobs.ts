import type { ByteRange, ObjectKey } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";
import { StorageError } from "./storage-error.ts";

/**
 * Store of small blobs in the rows that reference them, which saves a file and two syncs per blob.
 * The bytes are written and deleted in the same transaction as the reference.
 */
export interface SmallBlobs {
  /** Maximum size of such blobs in bytes. */
  readonly bytesMax: number;
  /** Undefined when no row has this key. */
  read(key: string): Promise<Uint8Array | undefined>;
  delete(key: string): Promise<void>;
}

const MARK = "row-";

/** Returns the generation of a blob that its row contains. */
export function rowGeneration(random: string): string {
  return `${MARK}${random}`;
}

/** Whether the row contains the blob; the key alone tells. */
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
