import type { BlobStore } from "./blob-store.ts";
import type { SavedBlob, StagedBlob } from "./staged-blob.ts";
import type { ObjectStore } from "./object-store.ts";
import { isInRow } from "./small-blobs.ts";
import { StorageError } from "./storage-error.ts";
import { isStoreMounted } from "./store-marker.ts";

/** Rows of one protocol's blobs, for `withLossDetection`. */
export interface BlobRegister {
  /** Finds the live blob with this digest (`sha256:<hex>`), even when it is damaged. */
  find(digest: string): Promise<{ readonly key: string; readonly isDamaged: boolean } | undefined>;
  /**
   * Marks the blob as damaged, so that all clients get 404. Does nothing when the row has another
   * object.
   */
  markMissing(key: string): Promise<void>;
  /**
   * Replaces the object of a damaged blob with the same bytes; false when no such blob is damaged.
   */
  restore(blob: Pick<SavedBlob, "key" | "size" | "sha256" | "bytes">): Promise<boolean>;
}

/** A blob store that detects lost objects. */
export type WatchedBlobStore = BlobStore & {
  /** Whether a live blob with this digest has its object. Marks a loss. */
  confirm(digest: string): Promise<boolean>;
};

/** Options of `withLossDetection`. */
export type LossDetectionOptions = {
  readonly blobs: BlobStore;
  readonly store: ObjectStore;
  readonly register: BlobRegister;
  readonly onLost: (key: string) => void;
};

/**
 * Creates a blob store that detects lost objects: at a read, at `isPresent`, and when the same
 * bytes are kept again. The last case restores the blob immediately, even if the publish fails.
 * When the store's marker is missing, the store is not mounted. The blob is then not marked, and
 * calls reject with a `StorageError` of code `storage-unavailable`.
 */
export function withLossDetection(options: LossDetectionOptions): WatchedBlobStore {
  const { blobs, store, register, onLost } = options;
  const reportMissing = async (key: string): Promise<void> => {
    if (!(await isStoreMounted(store))) throw notMounted(key);
    await register.markMissing(key);
    onLost(key);
  };
  const isPresent = async (key: string): Promise<boolean> => {
    if (isInRow(key) || (await blobs.sizeOf(key)) !== undefined) return true;
    await reportMissing(key);
    return false;
  };
  const isLost = async (digest: string): Promise<boolean> => {
    const row = await register.find(digest);
    return row !== undefined && (row.isDamaged || !(await isPresent(row.key)));
  };
  const watched = (staged: StagedBlob): StagedBlob => ({
    size: staged.size,
    digests: staged.digests,
    read: (range) => staged.read(range),
    hashedUntil: (end) => staged.hashedUntil?.(end),
    keep: keepOnce(async () => {
      const savedBlob = await staged.keep();
      const isHealed = (await isLost(digestOf(savedBlob))) && (await register.restore(savedBlob));
      return isHealed
        ? { ...savedBlob, isRestored: true, discard: () => Promise.resolve() }
        : savedBlob;
    }),
    heal: async () =>
      (await isLost(digestOf(staged.digests))) && register.restore(await staged.keep()),
    [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose](),
  });
  return {
    ...blobs,
    stage: async (...body) => watched(await blobs.stage(...body)),
    read: (key, ...rangeAndOptions) =>
      reporting(blobs.read(key, ...rangeAndOptions), () => reportMissing(key)),
    isPresent,
    async confirm(digest) {
      const row = await register.find(digest);
      return row !== undefined && !row.isDamaged && isPresent(row.key);
    },
    uploads: {
      ...blobs.uploads,
      assemble: async (...whole) => watched(await blobs.uploads.assemble(...whole)),
    },
  };
}

/**
 * Call before reading a blob: a damaged blob must not be served.
 *
 * @throws StorageError of code `storage-not-found`
 */
export function assertSound({
  key,
  isDamaged,
}: {
  readonly key: string;
  readonly isDamaged?: true;
}) {
  if (isDamaged) throw new StorageError("storage-not-found", `${key} is damaged`);
}

function digestOf({ sha256 }: { readonly sha256: string }): string {
  return `sha256:${sha256}`;
}

function keepOnce(keep: () => Promise<SavedBlob>): () => Promise<SavedBlob> {
  let savedBlob: Promise<SavedBlob> | undefined;
  return () => (savedBlob ??= keep());
}

async function* reporting(
  chunks: AsyncIterable<Uint8Array>,
  reportMissing: () => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof StorageError && error.code === "storage-not-found") await reportMissing();
    throw error;
  }
}

function notMounted(key: string): StorageError {
  return new StorageError(
    "storage-unavailable",
    `cannot read ${key}: the storage has lost its marker; it may not be mounted`,
  );
}
