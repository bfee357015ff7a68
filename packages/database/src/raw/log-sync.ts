import { closeSync, fdatasync, fdatasyncSync, openSync, realpathSync } from "node:fs";
import { DatabaseUnavailableError } from "../errors.ts";

/** Makes commits in SQLite's write-ahead log durable. */
export type LogSync = {
  /**
   * Resolves when all earlier commits are on disk. Rejects after a failure, also for all later
   * calls, because the state of the disk is then unknown.
   */
  readonly sync: () => Promise<void>;
  /** @throws DatabaseUnavailableError after a sync that failed */
  readonly assertSound: () => void;
  readonly close: () => void;
};

/**
 * Maximum milliseconds of a synchronous sync. A thread switch costs about 0.1 ms; blocking the
 * event loop for longer than a few of those is worse.
 */
const QUICK_MS = 0.5;
/** Weight of the latest sync in the average duration. */
const LATEST_SHARE = 0.25;

/**
 * By default, SQLite syncs its log in the commit and blocks the event loop. With `synchronous =
 * normal`, a commit only writes the log (sqlite.org/wal.html#performance_considerations). This
 * syncs it in another thread, or synchronously on fast disks. No change is confirmed before it is
 * durable; only concurrent readers may see data that a power failure still removes.
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
        const advice = "The last changes may be lost. Check the disk, then restart.";
        const message = `Cannot sync the log of the SQLite file "${path}": ${why}. ${advice}`;
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

/** Opens the log next to the real file. Undefined when nothing was written yet. */
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
