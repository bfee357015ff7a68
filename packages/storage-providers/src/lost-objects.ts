import type { BlobStore } from "./blob-store.ts";
import type { KeptBlob, StagedBlob } from "./staged-blob.ts";
import type { ObjectStore } from "./object-store.ts";
import { isInRow } from "./small-blobs.ts";
import { StorageError } from "./storage-error.ts";
import { isStoreMounted } from "./store-marker.ts";

/** What a database knows of the blobs of one protocol, for `withLossDetection`. */
export interface BlobRegister {
  /** The live blob with this digest (`sha256:<hex>`), damaged or not. */
  find(digest: string): Promise<{ readonly key: string; readonly isDamaged: boolean } | undefined>;
  /** Marks the blob damaged: from now on it is absent for everybody. Nothing happens when another
   * object has its name by now. */
  markMissing(key: string): Promise<void>;
  /** Gives a damaged blob with these bytes the new object; false when there is none. */
  restore(blob: Pick<KeptBlob, "key" | "size" | "sha256" | "bytes">): Promise<boolean>;
}

export type WatchedBlobStore = BlobStore & {
  /** Whether a live blob with this digest has its object; a loss is marked. */
  confirm(digest: string): Promise<boolean>;
};

export type LossDetectionOptions = {
  readonly blobs: BlobStore;
  readonly store: ObjectStore;
  readonly register: BlobRegister;
  readonly onLost: (key: string) => void;
};

/**
 * A blob store that notices when the object of a named blob is gone: at a read, at `isPresent`, and
 * when the same bytes are kept again, which brings the blob back at once, whatever becomes of the
 * publish. A store that is not mounted has lost nothing: without its marker the blob stays as it
 * is, and a `StorageError` of code `storage-unavailable` says so.
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
    const known = await register.find(digest);
    return known !== undefined && (known.isDamaged || !(await isPresent(known.key)));
  };
  const watched = (staged: StagedBlob): StagedBlob => ({
    size: staged.size,
    digests: staged.digests,
    read: (range) => staged.read(range),
    keep: keepOnce(async () => {
      const kept = await staged.keep();
      const isHealed = (await isLost(digestOf(kept))) && (await register.restore(kept));
      return isHealed ? { ...kept, discard: () => Promise.resolve() } : kept;
    }),
    heal: async () =>
      (await isLost(digestOf(staged.digests))) && register.restore(await staged.keep()),
    [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose](),
  });
  return {
    ...blobs,
    stage: async (...body) => watched(await blobs.stage(...body)),
    read: (key, ...asked) => reporting(blobs.read(key, ...asked), () => reportMissing(key)),
    isPresent,
    async confirm(digest) {
      const known = await register.find(digest);
      return known !== undefined && !known.isDamaged && isPresent(known.key);
    },
    uploads: {
      ...blobs.uploads,
      assemble: async (...whole) => watched(await blobs.uploads.assemble(...whole)),
    },
  };
}

/**
 * For whoever is about to read a blob: what is marked damaged must not be served.
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

function keepOnce(keep: () => Promise<KeptBlob>): () => Promise<KeptBlob> {
  let kept: Promise<KeptBlob> | undefined;
  return () => (kept ??= keep());
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
