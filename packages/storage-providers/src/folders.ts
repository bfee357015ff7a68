import { lstat, mkdir, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { BoundedCache } from "@sealhouse/bounded-cache";
import type { FileCalls } from "./file-calls.ts";
import { hasCode, StorageError } from "./storage-error.ts";

const REMEMBERED_MAX = 4096;
const ATTEMPTS_MAX = 8;

type Placing<T> = { readonly place: () => Promise<T>; readonly transient?: boolean | undefined };

export type Folders = {
  /**
   * Creates the folders above `path` and runs `placing`, which creates an entry at `path`. Then
   * makes the new name durable, unless it is `transient`.
   */
  placing<T>(path: string, placing: Placing<T>): Promise<T>;
  /** Deletes empty folders above `path`. */
  prune(path: string): Promise<void>;
  /**
   * Rejects with `ENOENT` when the folder is missing, and with `storage-invalid-key` when a link
   * leaves the root.
   */
  assertInside(folder: string): Promise<void>;
};

/** Manages the folders of one store. `root` must be a real path without links. */
export function createFolders(root: string, calls: FileCalls): Folders {
  const making = createMaking(root, calls);
  const pruning = createPruning(root, making.forget);

  const placeOnce = async <T>(
    path: string,
    { place, transient }: Placing<T>,
    attempt: number,
  ): Promise<T> => {
    const folder = dirname(path);
    if (!transient) await making.makeDurable(folder);
    else if (attempt > 1) await making.make(folder);
    await assertReal(calls, folder);
    const result = await place();
    if (!transient) await syncFolder(calls, folder);
    return result;
  };

  return {
    placing: (path, placing) =>
      pruning.without(path, () =>
        retried(
          (attempt) => placeOnce(path, placing, attempt),
          () => {
            for (const folder of foldersAbove(path, root)) making.forget(folder);
          },
        ),
      ),
    prune: (path) => pruning.prune(path),
    assertInside: (folder) => assertReal(calls, folder),
  };
}

function createMaking(root: string, calls: FileCalls) {
  /** Folders whose own names are durable, because their parents were synced. */
  const durable = new BoundedCache<string, Promise<void>>({ entries: REMEMBERED_MAX });

  const makeDurable = (folder: string): Promise<void> => {
    if (folder === root) return Promise.resolve();
    const promise = durable.get(folder);
    if (promise) return promise;
    const making = (async () => {
      await makeDurable(dirname(folder));
      await makeFolder(folder);
      await syncFolder(calls, dirname(folder));
    })();
    durable.set(folder, making);
    making.catch(() => durable.delete(folder));
    return making;
  };

  const make = async (folder: string): Promise<void> => {
    if (folder === root) return;
    await make(dirname(folder));
    await makeFolder(folder);
  };

  return { makeDurable, make, forget: (folder: string) => durable.delete(folder) };
}

function createPruning(root: string, forget: (folder: string) => void) {
  /** Folders with running writes below them, and the number of these. */
  const busy = new Map<string, number>();
  const underWay = new Set<Promise<void>>();

  const mark = (path: string, change: 1 | -1): void => {
    for (const folder of foldersAbove(path, root)) {
      const count = (busy.get(folder) ?? 0) + change;
      if (count === 0) busy.delete(folder);
      else busy.set(folder, count);
    }
  };

  const pruneAbove = async (path: string): Promise<void> => {
    for (const folder of foldersAbove(path, root)) {
      if (busy.has(folder) || !(await removedEmpty(folder))) return;
      forget(folder);
    }
  };

  return {
    /** Prevents this process from deleting a folder above `path` while `action` runs. */
    async without<T>(path: string, action: () => Promise<T>): Promise<T> {
      mark(path, 1);
      try {
        await Promise.all(underWay);
        return await action();
      } finally {
        mark(path, -1);
      }
    },

    async prune(path: string): Promise<void> {
      const pruning = pruneAbove(path);
      underWay.add(pruning);
      try {
        await pruning;
      } finally {
        underWay.delete(pruning);
      }
    },
  };
}

/** Yields the folders from the parent of `path` up to, but excluding, `root`. */
function* foldersAbove(path: string, root: string): Generator<string, void, undefined> {
  for (let folder = dirname(path); folder !== root; folder = dirname(folder)) yield folder;
}

/** Repeats, because another process may delete an empty folder between its creation and its use. */
async function retried<T>(action: (attempt: number) => Promise<T>, reset: () => void): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action(attempt);
    } catch (error) {
      if (!hasCode(error, "ENOENT") || attempt === ATTEMPTS_MAX) throw error;
      reset();
    }
  }
}

/** Makes the entries of a folder durable. */
async function syncFolder(calls: FileCalls, folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const opened = await calls.open(folder, "r");
  try {
    await calls.sync(opened);
  } finally {
    await calls.close(opened);
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    if (!(await lstat(folder)).isDirectory()) throw leadsAway(folder);
  }
}

async function assertReal(calls: FileCalls, folder: string): Promise<void> {
  if ((await calls.realpath(folder)) !== folder) throw leadsAway(folder);
}

function leadsAway(folder: string): StorageError {
  return new StorageError("storage-invalid-key", `${folder} is not a folder of the store itself`);
}

async function removedEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && "errno" in error) return false;
    throw error;
  }
}
