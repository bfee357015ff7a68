import { pause } from "./pause.ts";

/** Work that runs again and again. */
export type Job = {
  readonly name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  readonly everyMs: number;
  /** Milliseconds before the first run: start-up is busy enough. */
  readonly firstAfterMs: number;
  /** Stops early when the signal aborts. A rejection is reported; the next run follows anyway. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

/** A run that was rejected. */
export type JobFailure = { readonly job: string; readonly error: unknown };

/** Runs each job at its own interval, one run of it at a time, until disposal. Disposal aborts the
 * current runs and waits for them. `onError` gets every failed run and must not throw. */
export function openSchedule(
  jobs: readonly Job[],
  onError: (failure: JobFailure) => void,
): AsyncDisposable {
  const stopped = new AbortController();
  const running = jobs.map((job) => runRepeatedly(job, stopped.signal, onError));
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await Promise.all(running);
    },
  };
}

async function runRepeatedly(
  job: Job,
  stopped: AbortSignal,
  onError: (failure: JobFailure) => void,
): Promise<void> {
  await pause(job.firstAfterMs, stopped);
  while (!stopped.aborted) {
    try {
      await job.run(stopped);
    } catch (error) {
      if (!stopped.aborted) onError({ job: job.name, error });
    }
    await pause(job.everyMs, stopped);
  }
}
