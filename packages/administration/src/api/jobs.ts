import { randomUUID } from "node:crypto";
import type { Action, Asked } from "../action.ts";
import { fieldTexts } from "../field.ts";
import { JOB_HELD_MS, PROGRESS_MAX } from "@sealhouse/jobs";
import type { ActionJobs, EndOfJob } from "@sealhouse/jobs";
import { RefusedActionError } from "../refusal.ts";

export type JobRunnerOptions = {
  readonly jobs: ActionJobs;
  readonly now: () => Date;
  /** Aborts when the host is asked to stop. */
  readonly stop: AbortSignal | undefined;
  /** Reports an error that is not a refusal. */
  readonly onFailure: (failure: { readonly job: string; readonly error: unknown }) => void;
};

/** Runs long actions apart from the requests that asked for them. */
export type JobRunner = {
  /** Starts an action. Resolves to the id of its job as soon as the job is stored. */
  start(
    action: Action,
    asked: Omit<Asked<Record<string, unknown>>, "signal" | "report">,
  ): Promise<string>;
};

/** A third of the time after which a job counts as lost. */
const EXTEND_MS = JOB_HELD_MS / 3;

export function createJobRunner({ jobs, now, stop, onFailure }: JobRunnerOptions): JobRunner {
  const run = async (id: string, action: Action, asked: Asked<Record<string, unknown>>) => {
    const extending = setInterval(() => {
      jobs.extend(id, now()).catch((error: unknown) => onFailure({ job: id, error }));
    }, EXTEND_MS);
    extending.unref();
    try {
      const failed = (error: unknown) => onFailure({ job: id, error });
      const report = lastLine((line) => jobs.report(id, line), failed);
      const end = await endOf(action, { ...asked, report }, failed);
      await jobs.end(id, { ...end, at: now() });
    } catch (error) {
      onFailure({ job: id, error });
    } finally {
      clearInterval(extending);
    }
  };
  return {
    async start(action, asked) {
      const id = randomUUID();
      const input = jobInput(withoutSecrets(action, asked.input), asked.isDryRun);
      await jobs.begin({ id, action: action.id, actor: asked.caller.actor, input }, now());
      const signal = stop ?? new AbortController().signal;
      void run(id, action, { ...asked, signal });
      return id;
    },
  };
}

/** Saves the newest line. While one is being saved, only the newest of the others waits. */
function lastLine(
  save: (line: string) => Promise<void>,
  onFailure: (error: unknown) => void,
): (line: string) => void {
  let next: string | undefined;
  let isSaving = false;
  const saveAll = async () => {
    isSaving = true;
    try {
      for (; next !== undefined;) {
        const line = next.slice(0, PROGRESS_MAX);
        next = undefined;
        await save(line);
      }
    } catch (error) {
      onFailure(error);
    } finally {
      isSaving = false;
    }
  };
  return (line) => {
    next = line;
    if (!isSaving) void saveAll();
  };
}

async function endOf(
  action: Action,
  asked: Asked<Record<string, unknown>>,
  onFailure: (error: unknown) => void,
): Promise<Omit<EndOfJob, "at">> {
  try {
    return { state: "done", result: action.output.parse(await action.run(asked)) };
  } catch (error) {
    if (error instanceof RefusedActionError) {
      const { reason, message, problems } = error;
      return { state: "refused", result: { reason, message, problems } };
    }
    onFailure(error);
    return { state: "failed", result: "The log of the registry has the reason." };
  }
}

/** The field of an input that marks a dry run. */
const DRY_RUN = "dry-run";

/** Notes a dry run with the input: confirmation pages look for the last one. */
function jobInput(input: Record<string, unknown>, isDryRun: boolean): Record<string, unknown> {
  return isDryRun ? { ...input, [DRY_RUN]: true } : input;
}

/** Secrets are accepted, and never stored with a job. */
function withoutSecrets(action: Action, input: Record<string, unknown>): Record<string, unknown> {
  const shape = action.input.shape as Readonly<
    Record<string, Parameters<typeof fieldTexts.get>[0]>
  >;
  return Object.fromEntries(
    Object.entries(input).filter(([name]) => {
      const schema = shape[name];
      return !schema || fieldTexts.get(schema)?.isSecret !== true;
    }),
  );
}
