import type { ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";

/** A file that a request has written in part, or has not given its name yet. */
export type Leftover = {
  readonly name: string;
  readonly size: number;
  readonly modifiedAt: Date;
};

export type LeftoverOptions = {
  /** The prefixes of the blob stores. */
  readonly prefixes: readonly string[];
  /** Younger files may belong to a running request. While bytes arrive, the file of a request is
   * written at least once a minute (block-writing.ts), so an hour is a safe age. */
  readonly olderThan: Date;
  readonly signal?: AbortSignal;
};

/** Files of killed processes: unfinished writes, and whole bodies that no publish kept. */
export async function* leftovers(
  store: ObjectStore,
  options: LeftoverOptions,
): AsyncGenerator<Leftover, void, undefined> {
  for await (const { leftover } of found(store, options)) yield leftover;
}

/** Deletes them; resolves to what was deleted. Safe beside running requests and other sweeps. */
export async function sweepLeftovers(
  store: ObjectStore,
  options: LeftoverOptions,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const deleted = { count: 0, bytes: 0 };
  for await (const { leftover, remove } of found(store, options)) {
    await remove();
    deleted.count += 1;
    deleted.bytes += leftover.size;
  }
  return deleted;
}

type Found = { readonly leftover: Leftover; readonly remove: () => Promise<void> };

async function* found(
  store: ObjectStore,
  { prefixes, olderThan, signal }: LeftoverOptions,
): AsyncGenerator<Found, void, undefined> {
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
