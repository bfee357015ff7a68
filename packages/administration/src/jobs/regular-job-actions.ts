import type { RegularJob, RegularJobs } from "@sealhouse/jobs";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, RefusedActionError } from "../refusal.ts";
import type { RegularJobParts } from "./parts.ts";

const REGULAR_JOB = z
  .strictObject({
    name: z.string(),
    everySeconds: z.number().describe("Seconds from the end of a run to the start of the next."),
    isRunning: z.boolean(),
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
    failure: z.string().optional().describe("The error that ended the newest run."),
  })
  .meta({ id: "RegularJob", title: "Work that the host repeats" });

/** A regular job as the API and commands show it. */
export type ShownRegularJob = z.output<typeof REGULAR_JOB>;

const list = defineAction({
  id: "schedule.list",
  summary: "list the regular jobs of this host with their last runs",
  scope: "settings:read",
  method: "GET",
  path: "/schedule",
  command: "jobs list",
  form: { none: "It only reads." },
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(REGULAR_JOB),
  refusals: ["unsupported"],
  async run({ input, parts }) {
    return pageOf(jobsOf(parts).list().map(shownJob), input, ({ name }) => name);
  },
});

const run = defineAction({
  id: "schedule.run",
  summary: "run a regular job of this host now",
  scope: "storage:write",
  method: "POST",
  path: "/schedule/{name}/run",
  command: "jobs run <name>",
  form: { page: "/administration/actions/schedule.list" },
  input: z.strictObject({
    name: field(z.string().min(1).max(100), "Job", 'The name of the job: "sweep".'),
  }),
  output: REGULAR_JOB,
  refusals: ["absent", "unsupported"],
  lasting: "run-jobs",
  isLong: true,
  async run({ input: { name }, parts, signal }) {
    const jobs = jobsOf(parts);
    const ended = await jobs.run(name, signal);
    if (ended) return shownJob(ended);
    const names = jobs.list().map((job) => `"${job.name}"`);
    throw absent(`There is no job "${name}". The jobs are ${names.join(", ")}.`);
  },
});

function jobsOf({ regularJobs }: RegularJobParts): RegularJobs {
  const jobs = regularJobs();
  if (jobs) return jobs;
  const message = "Regular jobs belong to a running host. Start it, or name one with --remote.";
  throw new RefusedActionError("unsupported", message);
}

function shownJob({ everyMs, startedAt, endedAt, ...job }: RegularJob): ShownRegularJob {
  return {
    ...job,
    everySeconds: everyMs / 1_000,
    ...(startedAt && { startedAt: startedAt.toISOString() }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  };
}

/** The regular jobs of a host. */
export const SCHEDULE_ACTIONS = [list, run];
