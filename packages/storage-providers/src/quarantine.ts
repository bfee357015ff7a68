import type { ObjectInfo, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oldObjects } from "./old-objects.ts";
import type { Age } from "./old-objects.ts";
import { StorageError } from "./storage-error.ts";

/** Options of `quarantineUnnamed`. */
export type QuarantineOptions = Age & {
  /** The prefix of the blob store. */
  readonly prefix: string;
  /** Deletes objects that were quarantined before this time. */
  readonly heldSince: Date;
  /** Returns those of the keys that a row references. Receives `batch` keys at a time. */
  readonly isNamed: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /** `restore`: restores keys and only counts the rest. Default `all`. */
  readonly changes?: "all" | "restore";
};

/** A number of objects with their total bytes. */
export type Totals = { readonly count: number; readonly bytes: number };

/** Totals of a quarantine run. */
export type QuarantineOutcome = {
  /** Objects that are old enough, and quarantined objects. */
  readonly examined: number;
  readonly setAside: Totals;
  readonly restored: Totals;
  readonly deleted: Totals;
  /** Quarantined by an earlier run and not yet due for deletion. */
  readonly held: Totals;
};

/**
 * Moves unreferenced blobs to `{prefix}/quarantine/…` and deletes them after a delay. A restored
 * database backup or a wrong query therefore loses no data at once. A blob that a row references
 * gets its key back.
 *
 * Safe while requests run: every `keep` creates a separate key, and `olderThan` must exceed the
 * longest time between `keep()` and the commit of the row.
 */
export async function quarantineUnnamed(
  store: ObjectStore,
  options: QuarantineOptions,
): Promise<QuarantineOutcome> {
  const prefix = parseObjectKey(options.prefix);
  const { isNamed, signal, changes = "all" } = options;
  const tally = { examined: 0, setAside: none(), restored: none(), deleted: none(), held: none() };
  const each = async (what: Count, info: ObjectInfo, change: () => Promise<void>) => {
    signal?.throwIfAborted();
    if (changes === "all" || what === tally.restored) await unlessGone(change());
    what.count += 1;
    what.bytes += info.size;
  };

  // First the earlier quarantined objects, which exclude those of this run.
  const aside = `${prefix}/quarantine/`;
  const home = `${prefix}/blobs/`;
  const anyAge = { ...options, olderThan: new Date(8.64e15) };
  for await (const batch of oldObjects(store, aside, anyAge)) {
    tally.examined += batch.length;
    const keyOf = ({ key }: ObjectInfo) => parseObjectKey(home + key.slice(aside.length));
    const restorableKeys = await isNamed(batch.map(keyOf));
    for (const info of batch) {
      const original = keyOf(info);
      if (restorableKeys.has(original)) {
        await each(tally.restored, info, () => store.move(info.key, original));
      } else if (info.modifiedAt < options.heldSince) {
        await each(tally.deleted, info, () => store.delete(info.key));
      } else {
        await each(tally.held, info, async () => {});
      }
    }
  }
  for await (const batch of oldObjects(store, home, options)) {
    tally.examined += batch.length;
    const referencedKeys = await isNamed(batch.map(({ key }) => key));
    for (const info of batch.filter(({ key }) => !referencedKeys.has(key))) {
      const set = parseObjectKey(aside + info.key.slice(home.length));
      await each(tally.setAside, info, () => store.move(info.key, set));
    }
  }
  return tally;
}

type Count = { count: number; bytes: number };

function none(): Count {
  return { count: 0, bytes: 0 };
}

/** Ignores that another process has deleted the object since it was listed. */
async function unlessGone(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "storage-not-found") throw error;
  }
}
