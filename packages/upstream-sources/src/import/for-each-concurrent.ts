/** Runs `work` on at most `concurrency` items at once. After the first failure it starts no more,
 * waits for what is running, and throws that failure. */
export async function forEachConcurrent<T>(
  items: AsyncIterable<T> | Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const item of items) {
      const run = work(item)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(run));
      running.add(run);
      if (running.size >= concurrency) await Promise.race(running);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (failures.length > 0) throw failures[0];
}
