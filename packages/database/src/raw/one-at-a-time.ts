/** Runs one task at a time, in the order of arrival. */
export type OneAtATime = <T>(task: () => Promise<T> | T) => Promise<T>;

/**
 * SQLite has one writer. Waiting for it inside the database would block the whole event loop, so
 * this process queues its own writes here and meets a busy database only through other processes.
 */
export function createOneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}
