import type { Log } from "../log.ts";

export type Job = {
  readonly name: string;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
  /** Before the first run: start-up is busy enough. */
  readonly firstAfterMs: number;
  /** Stops early when the signal aborts. A rejection is logged; the next run comes all the same. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

/** Runs each job at its own pace, one run of it at a time, until disposed of; disposal waits for
 * the runs in hand. */
export function openSchedule(jobs: readonly Job[], log: Log): AsyncDisposable {
  const stopped = new AbortController();
  const running = jobs.map((job) => runRepeatedly(job, stopped.signal, log));
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await Promise.all(running);
    },
  };
}

async function runRepeatedly(job: Job, stopped: AbortSignal, log: Log): Promise<void> {
  await pause(job.firstAfterMs, stopped);
  while (!stopped.aborted) {
    try {
      await job.run(stopped);
    } catch (error) {
      if (!stopped.aborted) log.error({ err: error, job: job.name }, "a background job failed");
    }
    await pause(job.everyMs, stopped);
  }
}

/** Does not keep the process alive. */
function pause(ms: number, stopped: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (stopped.aborted) return Promise.resolve();
  const timer = setTimeout(resolve, ms);
  timer.unref();
  stopped.addEventListener("abort", () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
