import { BoundedCache } from "@sealhouse/bounded-cache";
import type { ByteRange, ObjectInfo, ObjectKey, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oldObjects } from "./old-objects.ts";
import type { Age } from "./old-objects.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Age at which `sweepCopies` deletes a copy; the next download makes a new one. */
export const COPY_LIFE_MS = 7 * DAY_MS;
/** Before its end, a copy is renewed instead of used, so that no URL outlives its object. */
const RENEWED_BEFORE_END_MS = DAY_MS;
/** A copy that an operator deletes is missed after this time. */
const REMEMBERED_MS = MINUTE_MS;
const REMEMBERED_MAX = 10_000;
/** Copies that are written at the same time. Others begin with a later request. */
const CONCURRENT_MAX = 2;

/** Bytes that the process can compute, such as a package with its signature. */
export type DerivedBytes = {
  /** Names the bytes: other bytes have another tag. Letters, digits and `-`. */
  readonly etag: string;
  readonly read: (range?: ByteRange) => AsyncIterable<Uint8Array>;
};

/** Options of `createDerivedCopies`. */
export type DerivedCopiesOptions = {
  /** Folder of the copies. The folder has nothing else. */
  readonly folder: string;
  readonly onError: (error: unknown) => void;
  readonly now?: () => Date;
};

/** Copies of derived bytes, for clients that read them from the store. */
export interface DerivedCopies extends AsyncDisposable {
  /**
   * Returns a URL of a copy, valid for `expiresInMs` (at most a day). Undefined while there is no
   * copy: a call begins to write one in the background, and the caller serves the bytes itself.
   */
  presign(
    bytes: DerivedBytes,
    options: { readonly expiresInMs: number },
  ): Promise<string | undefined>;
}

/**
 * Keeps derived bytes as objects `{folder}/{etag}`. The copies are a cache: any of them may be
 * deleted at any time, no row names them, and instances that write the same copy write the same
 * bytes. Disposal aborts the copies that are being written.
 */
export function createDerivedCopies(
  store: ObjectStore,
  options: DerivedCopiesOptions,
): DerivedCopies {
  const { folder, onError, now = () => new Date() } = options;
  const stop = new AbortController();
  const running = new Map<ObjectKey, Promise<void>>();
  /** When each copy is no longer used, in milliseconds since 1970. */
  const usableUntil = new BoundedCache<ObjectKey, number>({
    entries: REMEMBERED_MAX,
    age: { maxMs: REMEMBERED_MS, now: () => now().getTime() },
  });

  const isUsable = async (key: ObjectKey): Promise<boolean> => {
    const time = now().getTime();
    const knownUntil = usableUntil.get(key);
    if (knownUntil !== undefined) return time < knownUntil;
    const info = await store.stat(key);
    if (!info) return false;
    const until = endOf(info) - RENEWED_BEFORE_END_MS;
    usableUntil.set(key, until);
    return time < until;
  };

  const copy = async (key: ObjectKey, bytes: DerivedBytes): Promise<void> => {
    try {
      await store.write(key, bytes.read(), { existing: "replace", signal: stop.signal });
      usableUntil.delete(key);
    } catch (error) {
      if (!stop.signal.aborted) onError(error);
    } finally {
      running.delete(key);
    }
  };

  return {
    async presign(bytes, { expiresInMs }) {
      if (!store.presign || stop.signal.aborted) return undefined;
      const key = parseObjectKey(`${folder}/${bytes.etag}`);
      if (await isUsable(key)) return store.presign(key, { expiresInMs });
      if (!running.has(key) && running.size < CONCURRENT_MAX) running.set(key, copy(key, bytes));
      return undefined;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running.values());
    },
  };
}

/** Deletes the copies that reached the end of their life. Resolves to their number. */
export async function sweepCopies(
  store: ObjectStore,
  { folder, now, signal }: { readonly folder: string; readonly now: Date } & Pick<Age, "signal">,
): Promise<number> {
  let deleted = 0;
  const olderThan = new Date(now.getTime() - COPY_LIFE_MS);
  const age = signal === undefined ? { olderThan } : { olderThan, signal };
  for await (const batch of oldObjects(store, `${folder}/`, age)) {
    for (const { key } of batch) {
      signal?.throwIfAborted();
      await store.delete(key);
      deleted += 1;
    }
  }
  return deleted;
}

function endOf({ modifiedAt }: ObjectInfo): number {
  return modifiedAt.getTime() + COPY_LIFE_MS;
}
