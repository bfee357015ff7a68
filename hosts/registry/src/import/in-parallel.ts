/** Works on so many items at once. The first failure ends it, when what is under way has ended. */
export async function inParallel<T>(
  items: AsyncIterable<T>,
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

/** All results; a failure is thrown when the others have ended, too. */
export async function allEnded<T>(runs: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(runs);
  return Promise.all(runs);
}

export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/** At most so many calls at once; the others wait in line. */
export function createLimit(concurrency: number): Limit {
  let free = concurrency;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
