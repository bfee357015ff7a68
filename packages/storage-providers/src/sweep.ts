import type { ObjectInfo, ObjectKey, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oldObjects } from "./old-objects.ts";

/** Options of `sweepUnnamed`. */
export type SweepOptions = {
  /** The prefix of the blob store. */
  readonly prefix: string;
  /**
   * Age limit: only objects that were written or moved before. Must exceed the longest time between
   * `keep()` and the commit of the row; a day is sufficient.
   */
  readonly olderThan: Date;
  /** Returns those of the keys that a row references. Receives `batch` keys at a time. */
  readonly isNamed: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Skips blobs, for stores that use `quarantineUnnamed`. */
  readonly blobs?: "leave";
  /** Returns those of the upload ids that have a session. Undefined keeps all parts. */
  readonly hasSession?: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly signal?: AbortSignal;
  /** Keys per query, 1 to 10,000. Default 500. */
  readonly batch?: number;
};

/** Totals of a sweep. */
export type SweepOutcome = {
  /** Objects that are old enough. */
  readonly examined: number;
  readonly deleted: number;
  readonly deletedBytes: number;
};

/**
 * Deletes the leftovers of failed requests: unreferenced blobs, and parts of uploads without a
 * session. For unfinished writes see `sweepLeftovers`. Safe while requests and other sweeps run,
 * because every `keep` creates a separate key and a moved object counts as new.
 */
export async function sweepUnnamed(
  store: ObjectStore,
  options: SweepOptions,
): Promise<SweepOutcome> {
  const { isNamed, hasSession } = options;
  const prefix = parseObjectKey(options.prefix);
  const tally = { examined: 0, deleted: 0, deletedBytes: 0 };
  const sweep = async (folder: string, selectKept: SelectKeys) => {
    for await (const batch of oldObjects(store, `${prefix}/${folder}/`, options)) {
      tally.examined += batch.length;
      const keptKeys = await selectKept(batch);
      for (const info of batch.filter(({ key }) => !keptKeys.has(key))) {
        options.signal?.throwIfAborted();
        await store.delete(info.key);
        tally.deleted += 1;
        tally.deletedBytes += info.size;
      }
    }
  };

  if (options.blobs !== "leave") {
    await sweep("blobs", (batch) => isNamed(batch.map(({ key }) => key)));
  }
  if (hasSession) await sweep("uploads", (batch) => keysWithSession(batch, prefix, hasSession));
  return tally;
}

type SelectKeys = (batch: readonly ObjectInfo[]) => Promise<ReadonlySet<string>>;

async function keysWithSession(
  batch: readonly ObjectInfo[],
  prefix: ObjectKey,
  hasSession: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  const idOf = (key: string) => key.slice(`${prefix}/uploads/`.length).split("/")[0] ?? "";
  const open = await hasSession([...new Set(batch.map(({ key }) => idOf(key)))]);
  return new Set(batch.map(({ key }) => key).filter((key) => open.has(idOf(key))));
}
