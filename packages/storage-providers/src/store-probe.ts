import { randomUUID } from "node:crypto";
import type { ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";
import { StorageError } from "./storage-error.ts";
import { isStoreMounted } from "./store-marker.ts";

/** Resolves while the store can be used; rejects with the reason it cannot. */
export type StoreProbe = () => Promise<void>;

export type StoreProbeOptions = {
  /** Milliseconds for which a result is good. Default 10,000. */
  readonly everyMs?: number;
  /** Milliseconds after which a probe without an answer has failed. Default 4,000. */
  readonly timeoutMs?: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
};

/**
 * Tells whether a store is the registry's own and can be written: it looks for the marker, writes
 * a small object and deletes it. However many ask, the store is probed once in `everyMs`. A probe
 * that hangs keeps failing for everybody until it ends.
 */
export function createStoreProbe(
  store: ObjectStore,
  { everyMs = 10_000, timeoutMs = 4_000, now = () => performance.now() }: StoreProbeOptions = {},
): StoreProbe {
  // Of this process alone: instances must not delete each other's object.
  const key = parseObjectKey(`health/${randomUUID()}`);
  let latest: { readonly at: number; readonly result: Promise<void> } | undefined;
  let isRunning = false;
  const begin = (): Promise<void> => {
    isRunning = true;
    const probing = probe(store, key).finally(() => (isRunning = false));
    const result = withTimeout(probing, timeoutMs);
    // Whoever asks is told; if nobody does, that is no fault of the process.
    result.catch(() => undefined);
    latest = { at: now(), result };
    return result;
  };
  return () => {
    const isFresh = latest !== undefined && now() - latest.at < everyMs;
    return latest && (isFresh || isRunning) ? latest.result : begin();
  };
}

async function probe(store: ObjectStore, key: ReturnType<typeof parseObjectKey>): Promise<void> {
  if (!(await isStoreMounted(store))) {
    throw new StorageError(
      "storage-unavailable",
      "the storage has lost its marker; it may not be mounted",
    );
  }
  await store.write(key, oneChunk(Buffer.from("probe\n")), { existing: "replace" });
  await store.delete(key);
}

async function withTimeout(probing: Promise<void>, timeoutMs: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new StorageError(
    "storage-unavailable",
    `the storage did not answer in ${timeoutMs} ms`,
  );
  const timer = setTimeout(() => reject(error), timeoutMs);
  timer.unref();
  try {
    await Promise.race([probing, promise]);
  } finally {
    clearTimeout(timer);
    probing.catch(() => undefined);
  }
}
