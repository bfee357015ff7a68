import { randomUUID } from "node:crypto";
import type { ObjectKey, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";
import { StorageError } from "./storage-error.ts";
import { requireMarker } from "./store-marker.ts";

/** Options of `probeStore`. */
export type StoreProbeOptions = {
  /** Milliseconds before a probe without an answer fails. Default 4,000. */
  readonly timeoutMs?: number;
  /** The registry whose id the marker must contain. Default: any marker. */
  readonly registryId?: string | undefined;
};

/** Options of `watchStore`. */
export type StoreWatchOptions = StoreProbeOptions & {
  /** Milliseconds from the start of a probe to the start of the next. Default 10,000. */
  readonly everyMs?: number;
};

/** Probes a store in the background until it is disposed of. */
export type StoreWatch = AsyncDisposable & {
  /**
   * Resolves while the store is usable; rejects with the reason otherwise. Has the result of the
   * latest complete probe, and waits only while the first one runs.
   */
  check(): Promise<void>;
};

const TIMEOUT_MS = 4_000;
const EVERY_MS = 10_000;
/** A timer that is later than this shows that the event loop was busy. */
const BUSY_MS = 500;

/**
 * Probes whether a store is the registry's own and writable: looks for the marker, then writes and
 * deletes a small object. Rejects with the reason otherwise.
 */
export function probeStore(
  store: ObjectStore,
  { timeoutMs = TIMEOUT_MS, registryId }: StoreProbeOptions = {},
): Promise<void> {
  return withTimeout(probe(store, probeKey(), registryId), timeoutMs);
}

/** Probes a store now, and then once in `everyMs`. No probe begins while another one hangs. */
export function watchStore(
  store: ObjectStore,
  { everyMs = EVERY_MS, timeoutMs = TIMEOUT_MS, registryId }: StoreWatchOptions = {},
): StoreWatch {
  const key = probeKey();
  let isRunning = false;
  const begin = (): Promise<void> => {
    isRunning = true;
    const probing = probe(store, key, registryId).finally(() => (isRunning = false));
    return withTimeout(probing, timeoutMs);
  };
  let latest = begin();
  const settle = (probing: Promise<void>): Promise<void> => {
    const update = () => void (latest = probing);
    return probing.then(update, update);
  };
  let settled = settle(latest);
  const timer = setInterval(() => {
    if (!isRunning) settled = settle(begin());
  }, everyMs);
  timer.unref();
  return {
    check: () => latest,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await settled;
    },
  };
}

/** Specific to this process, so that instances do not delete each other's object. */
function probeKey(): ObjectKey {
  return parseObjectKey(`health/${randomUUID()}`);
}

async function probe(
  store: ObjectStore,
  key: ObjectKey,
  registryId: string | undefined,
): Promise<void> {
  await requireMarker(store, registryId);
  await store.write(key, oneChunk(Buffer.from("probe\n")), { existing: "replace" });
  await store.delete(key);
}

async function withTimeout(probing: Promise<void>, timeoutMs: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new StorageError(
    "storage-unavailable",
    `the storage did not answer in ${timeoutMs} ms`,
  );
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const due = performance.now() + timeoutMs;
    timer = setTimeout(() => {
      // No answer could arrive while the event loop was busy, for example during a start.
      if (performance.now() - due > BUSY_MS) wait();
      else reject(error);
    }, timeoutMs);
    timer.unref();
  };
  wait();
  try {
    await Promise.race([probing, promise]);
  } finally {
    clearTimeout(timer);
    probing.catch(() => undefined);
  }
}
