import { closeSync, fdatasync, fdatasyncSync, openSync, realpathSync } from "node:fs";
import { DatabaseUnavailableError } from "../errors.ts";

/** Makes what was committed to SQLite's write-ahead log durable. */
export type LogSync = {
  /** Resolves once everything that was committed before is on the disk. Rejects when that failed,
   * and from then on at once: nobody knows then what is there. */
  readonly sync: () => Promise<void>;
  /** @throws DatabaseUnavailableError after a sync that failed */
  readonly assertSound: () => void;
  readonly close: () => void;
};

/** A thread, and waking up after it, cost a tenth of a millisecond; holding up everybody else for
 * longer than a few of those is worse. */
const QUICK_MS = 0.5;
/** Of the average: what a disk did last counts most. */
const LATEST_SHARE = 0.25;

/**
 * SQLite syncs its log within the commit, and the whole event loop waits for the disk. With
 * `synchronous = normal` a commit only writes it (sqlite.org/wal.html#performance_considerations),
 * and this syncs it: beside the loop, unless the disk takes less time than that detour. Nobody is
 * told of a commit before it is durable; only who reads at the same moment may see what a power cut
 * still takes back.
 */
export function createLogSync(path: string): LogSync {
  let descriptor: number | undefined;
  let isClosed = false;
  let averageMs = 0;
  let failure: DatabaseUnavailableError | undefined;
  const assertSound = () => {
    if (failure) throw failure;
  };
  return {
    assertSound,
    async sync() {
      assertSound();
      if (isClosed) return;
      try {
        descriptor ??= openLog(path);
        if (descriptor === undefined) return;
        const startedAt = performance.now();
        if (averageMs < QUICK_MS) fdatasyncSync(descriptor);
        else await syncBeside(descriptor);
        averageMs += (performance.now() - startedAt - averageMs) * LATEST_SHARE;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        const advice = "The last changes may be lost; see to the disk, and restart.";
        const message = `The log of the SQLite file "${path}" was not synced: ${why}. ${advice}`;
        throw (failure = new DatabaseUnavailableError(message, { cause: error }));
      }
    },
    close() {
      isClosed = true;
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

/** It lies beside the file that a link leads to. Undefined: nothing was written yet. */
function openLog(path: string): number | undefined {
  try {
    return openSync(`${realpathSync(path)}-wal`, "r+");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function syncBeside(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}
