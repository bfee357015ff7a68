export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a limit of `concurrency` calls at once. Further calls wait in a queue. */
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

/** Returns all results. Throws the first failure, after all runs have ended. */
export async function allEnded<T>(runs: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(runs);
  return Promise.all(runs);
}
