import type { ObjectInfo, ObjectKey, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oldObjects } from "./old-objects.ts";

export type SweepOptions = {
  /** The prefix of the blob store. */
  readonly prefix: string;
  /** Only objects that were written or moved before this are looked at. Must lie further back than
   * the longest time between `keep()` and the commit that names the blob: a day is a good grace. */
  readonly olderThan: Date;
  /** Which of these keys a database row names. Asked about `batch` keys at a time. */
  readonly isNamed: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Leaves blobs alone; for those that `quarantineUnnamed` looks after. */
  readonly blobs?: "leave";
  /** Which of these upload ids still have a session. Without it no parts are swept. */
  readonly hasSession?: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly signal?: AbortSignal;
  /** Keys per question, 1 to 10,000. Default 500. */
  readonly batch?: number;
};

export type SweepOutcome = {
  /** Objects that were old enough to be looked at. */
  readonly examined: number;
  readonly deleted: number;
  readonly deletedBytes: number;
};

/**
 * Deletes what a failed request left behind: blobs that no row names, and parts of uploads whose
 * session is gone. For unfinished writes see `sweepLeftovers`. Safe beside running requests and
 * other sweeps, because every `keep` makes a key of its own and a moved object counts as new.
 */
export async function sweepUnnamed(
  store: ObjectStore,
  options: SweepOptions,
): Promise<SweepOutcome> {
  const { isNamed, hasSession } = options;
  const prefix = parseObjectKey(options.prefix);
  const tally = { examined: 0, deleted: 0, deletedBytes: 0 };
  const sweep = async (folder: string, wanted: Wanted) => {
    for await (const batch of oldObjects(store, `${prefix}/${folder}/`, options)) {
      tally.examined += batch.length;
      const kept = await wanted(batch);
      for (const info of batch.filter(({ key }) => !kept.has(key))) {
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

type Wanted = (batch: readonly ObjectInfo[]) => Promise<ReadonlySet<string>>;

async function keysWithSession(
  batch: readonly ObjectInfo[],
  prefix: ObjectKey,
  hasSession: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  const idOf = (key: string) => key.slice(`${prefix}/uploads/`.length).split("/")[0] ?? "";
  const open = await hasSession([...new Set(batch.map(({ key }) => idOf(key)))]);
  return new Set(batch.map(({ key }) => key).filter((key) => open.has(idOf(key))));
}
