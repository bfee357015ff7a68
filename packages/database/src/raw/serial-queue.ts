/** Runs one task at a time, in the order of arrival. */
export type SerialQueue = <T>(task: () => Promise<T> | T) => Promise<T>;

/**
 * SQLite has one writer, and waiting for it inside SQLite would block the event loop. This queue
 * serializes the writes of the process, so that only other processes cause a busy database.
 */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}
