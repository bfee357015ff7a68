/** A long action that runs apart from its request. */
export type ActionJob = {
  /** A UUID. */
  readonly id: string;
  /** Id of the action. */
  readonly action: string;
  readonly actor: string;
  /** Input of the action, without secrets. */
  readonly input: unknown;
  /** `lost`: its process ended, or cannot reach the database. */
  readonly state: "running" | "done" | "refused" | "failed" | "lost";
  /** Output of the action; of a refused one the problem; of a failed one a sentence. */
  readonly result?: unknown;
  /** The last line that it reported, at most `PROGRESS_MAX` characters. */
  readonly progress?: string;
  readonly createdAt: Date;
  readonly endedAt?: Date;
};

/** Characters of a line that a job keeps. */
export const PROGRESS_MAX = 500;

/** The end of a job. */
export type EndOfJob = {
  readonly state: "done" | "refused" | "failed";
  readonly result: unknown;
  readonly at: Date;
};

/** Days for which jobs are listed after their beginning. */
export const JOB_DAYS = 30;
/** Milliseconds after which a job whose process does not extend it is lost. */
export const JOB_HELD_MS = 60_000;

/** Rows of jobs, which all instances share. */
export interface ActionJobs {
  /** Forgets jobs that are older than `JOB_DAYS`, and adds one. */
  begin(job: Pick<ActionJob, "id" | "action" | "actor" | "input">, now: Date): Promise<void>;
  /** Notes that the job still runs. */
  extend(id: string, now: Date): Promise<void>;
  /** Keeps the last line that it reported. */
  report(id: string, line: string): Promise<void>;
  end(id: string, end: EndOfJob): Promise<void>;
  find(id: string, now: Date): Promise<ActionJob | undefined>;
  /** The newest first, at most 1,000. */
  list(now: Date): Promise<readonly ActionJob[]>;
}
