import type { ObjectInfo, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oldObjects } from "./old-objects.ts";
import type { Age } from "./old-objects.ts";
import { StorageError } from "./storage-error.ts";

export type QuarantineOptions = Age & {
  /** The prefix of the blob store. */
  readonly prefix: string;
  /** What was set aside before this is deleted. */
  readonly heldSince: Date;
  /** Which of these keys a database row names. Asked about `batch` keys at a time. */
  readonly isNamed: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /** `restore`: gives keys back, and only counts what else there is to do. Default `all`. */
  readonly changes?: "all" | "restore";
};

export type Tally = { readonly count: number; readonly bytes: number };

export type QuarantineOutcome = {
  /** Objects that were old enough to be looked at, and those that were set aside before. */
  readonly examined: number;
  readonly setAside: Tally;
  readonly restored: Tally;
  readonly deleted: Tally;
  /** Set aside by an earlier run, and waiting for the end of their time. */
  readonly held: Tally;
};

/**
 * Blobs that no row names are set aside, at `{prefix}/quarantine/…`, and deleted only once they
 * have been there for a while: what a database restored from a backup, or a wrong answer, calls
 * nameless is not lost at once. One that a row names after all gets its key back.
 *
 * Safe beside running requests: every `keep` makes a key of its own, and `olderThan` lies further
 * back than the longest time between `keep()` and the commit that names the blob.
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

  // First what was set aside before: what this run sets aside does not count as that.
  const aside = `${prefix}/quarantine/`;
  const home = `${prefix}/blobs/`;
  const anyAge = { ...options, olderThan: new Date(8.64e15) };
  for await (const batch of oldObjects(store, aside, anyAge)) {
    tally.examined += batch.length;
    const keyOf = ({ key }: ObjectInfo) => parseObjectKey(home + key.slice(aside.length));
    const named = await isNamed(batch.map(keyOf));
    for (const info of batch) {
      const original = keyOf(info);
      if (named.has(original)) {
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
    const named = await isNamed(batch.map(({ key }) => key));
    for (const info of batch.filter(({ key }) => !named.has(key))) {
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

/** Somebody else may have deleted it since it was listed. */
async function unlessGone(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "storage-not-found") throw error;
  }
}
