import type { ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";

/** A partly written or not yet renamed file of a request. */
export type Leftover = {
  readonly name: string;
  readonly size: number;
  readonly modifiedAt: Date;
};

/** Options of `leftovers` and `sweepLeftovers`. */
export type LeftoverOptions = {
  /** The prefixes of the blob stores. */
  readonly prefixes: readonly string[];
  /**
   * Age limit. Younger files may belong to running requests, which write at least once a minute
   * (block-writing.ts). An hour is safe.
   */
  readonly olderThan: Date;
  readonly signal?: AbortSignal;
};

/** Yields the files of killed processes: unfinished writes, and staged bodies. */
export async function* leftovers(
  store: ObjectStore,
  options: LeftoverOptions,
): AsyncGenerator<Leftover, void, undefined> {
  for await (const { leftover } of findLeftovers(store, options)) yield leftover;
}

/** Deletes leftovers and resolves to their totals. Safe while requests and other sweeps run. */
export async function sweepLeftovers(
  store: ObjectStore,
  options: LeftoverOptions,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const deleted = { count: 0, bytes: 0 };
  for await (const { leftover, remove } of findLeftovers(store, options)) {
    await remove();
    deleted.count += 1;
    deleted.bytes += leftover.size;
  }
  return deleted;
}

type RemovableLeftover = { readonly leftover: Leftover; readonly remove: () => Promise<void> };

async function* findLeftovers(
  store: ObjectStore,
  { prefixes, olderThan, signal }: LeftoverOptions,
): AsyncGenerator<RemovableLeftover, void, undefined> {
  const isOld = ({ modifiedAt }: { readonly modifiedAt: Date }) => modifiedAt < olderThan;
  const { unfinished } = store;
  if (unfinished) {
    for await (const leftover of unfinished.list()) {
      signal?.throwIfAborted();
      if (isOld(leftover)) yield { leftover, remove: () => unfinished.delete(leftover.name) };
    }
  }
  for (const prefix of prefixes) {
    for await (const { key, ...info } of store.list(`${parseObjectKey(prefix)}/staging/`)) {
      signal?.throwIfAborted();
      if (!isOld(info)) continue;
      yield { leftover: { name: key, ...info }, remove: () => store.delete(key) };
    }
  }
}
