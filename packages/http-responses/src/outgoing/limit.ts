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

/**
 * Runs works at once. After a failure the signal of the others aborts with it, and they begin
 * nothing more. Throws that failure once all have ended, so that no work outlives the lease, claim
 * or connection under which the caller runs it.
 */
export async function runTogether<T>(
  works: readonly ((failed: AbortSignal) => Promise<T>)[],
): Promise<readonly T[]> {
  const failed = new AbortController();
  const runs = works.map(async (work) => {
    try {
      return await work(failed.signal);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(runs);
  failed.signal.throwIfAborted();
  return Promise.all(runs);
}

/** Returns all results. Throws the first failure, after all runs have ended. */
export async function allEnded<T>(runs: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(runs);
  return Promise.all(runs);
}
