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

/** All of them; a failure is thrown when the others have ended, too. */
export async function allEnded<T>(runs: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(runs);
  return Promise.all(runs);
}
