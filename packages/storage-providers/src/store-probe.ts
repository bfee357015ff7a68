import { randomUUID } from "node:crypto";
import type { ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";
import { StorageError } from "./storage-error.ts";
import { isStoreMounted } from "./store-marker.ts";

/** Resolves while the store is usable; rejects with the reason otherwise. */
export type StoreProbe = () => Promise<void>;

/** Options of `createStoreProbe`. */
export type StoreProbeOptions = {
  /** Milliseconds to cache a result. Default 10,000. */
  readonly everyMs?: number;
  /** Milliseconds before a probe without an answer fails. Default 4,000. */
  readonly timeoutMs?: number;
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: () => number;
};

/**
 * Creates a probe of whether a store is the registry's own and writable. It looks for the marker,
 * then writes and deletes a small object, at most once per `everyMs`. While a probe hangs, all
 * callers get the failure.
 */
export function createStoreProbe(
  store: ObjectStore,
  { everyMs = 10_000, timeoutMs = 4_000, now = () => performance.now() }: StoreProbeOptions = {},
): StoreProbe {
  // Specific to this process, so that instances do not delete each other's object.
  const key = parseObjectKey(`health/${randomUUID()}`);
  let latest: { readonly at: number; readonly result: Promise<void> } | undefined;
  let isRunning = false;
  const begin = (): Promise<void> => {
    isRunning = true;
    const probing = probe(store, key).finally(() => (isRunning = false));
    const result = withTimeout(probing, timeoutMs);
    // Callers get the rejection; without callers, it must not count as unhandled.
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
