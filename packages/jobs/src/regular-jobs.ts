import type { Job } from "./schedule.ts";

/** A job of a schedule, as one instance runs it. */
export type RegularJob = Pick<Job, "name" | "everyMs"> & {
  readonly isRunning: boolean;
  /** The start of the newest run since the start of the instance. */
  readonly startedAt?: Date;
  /** The end of the newest run that has ended. */
  readonly endedAt?: Date;
  /** The message of the error that ended the newest run. */
  readonly failure?: string;
};

/** The jobs of a schedule, for administrators. */
export type RegularJobs = {
  /** In the order of their names. */
  list(): readonly RegularJob[];
  /**
   * Runs a job now, or joins the run that has begun. Resolves when it has ended; undefined: there
   * is no such job. Rejects with the error of the run.
   */
  run(name: string, signal: AbortSignal): Promise<RegularJob | undefined>;
};

/** Notes what jobs do, and lets others run them between the times of a schedule. */
export function watchJobs(
  jobs: readonly Job[],
  now: () => Date,
): { readonly jobs: readonly Job[]; readonly regular: RegularJobs } {
  const watched = jobs.map((job) => watchJob(job, now));
  const byName = watched.toSorted((a, b) => a.job.name.localeCompare(b.job.name, "en"));
  return {
    jobs: watched.map(({ job }) => job),
    regular: {
      list: () => byName.map((one) => one.shown()),
      async run(name, signal) {
        const found = watched.find(({ job }) => job.name === name);
        await found?.job.run(signal);
        return found?.shown();
      },
    },
  };
}

function watchJob(job: Job, now: () => Date) {
  const { name, everyMs } = job;
  let running: Promise<void> | undefined;
  let last: Omit<RegularJob, "name" | "everyMs" | "isRunning"> = {};
  const run = async (signal: AbortSignal) => {
    const startedAt = now();
    last = { startedAt, ...(last.endedAt && { endedAt: last.endedAt }) };
    try {
      await job.run(signal);
      last = { startedAt, endedAt: now() };
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      last = { startedAt, endedAt: now(), failure };
      throw error;
    } finally {
      running = undefined;
    }
  };
  return {
    job: { ...job, run: (signal: AbortSignal) => (running ??= run(signal)) },
    shown: (): RegularJob => ({ name, everyMs, isRunning: running !== undefined, ...last }),
  };
}
