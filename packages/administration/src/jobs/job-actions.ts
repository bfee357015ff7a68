import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import type { ActionJob } from "@sealhouse/jobs";
import { absent } from "../refusal.ts";

const JOB = z
  .strictObject({
    id: z.uuid(),
    action: z.string().describe("The id of the action."),
    actor: z.string(),
    input: z.unknown().describe("The input of the action, without secrets."),
    state: z
      .enum(["running", "done", "refused", "failed", "lost"])
      .describe("lost: its process ended, or cannot reach the database."),
    result: z.unknown().optional().describe("The output of the action, or why it was refused."),
    progress: z.string().optional().describe("The last line that it reported."),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
  })
  .meta({ id: "Job", title: "A long action" });

/** A long action as the API and commands show it. */
export type ShownJob = z.output<typeof JOB>;

const listJobs = defineAction({
  id: "jobs.list",
  summary: "list the long actions of the last 30 days, newest first",
  scope: "settings:read",
  method: "GET",
  path: "/jobs",
  command: "job list",
  form: { none: "It only reads; the page of jobs lists them." },
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(JOB),
  refusals: [],
  async run({ input, parts, now }) {
    const jobs = await (await parts.rows()).administration.jobs.list(now);
    const last = Number.MAX_SAFE_INTEGER;
    // The newest first: a key that sinks with the time.
    return pageOf(
      jobs.map(shownJob),
      input,
      ({ createdAt, id }) => `${String(last - Date.parse(createdAt)).padStart(16, "0")} ${id}`,
    );
  },
});

const showJob = defineAction({
  id: "jobs.show",
  summary: "show a long action and its result",
  scope: "settings:read",
  method: "GET",
  path: "/jobs/{id}",
  command: "job show <id>",
  form: { none: "It only reads; the page of jobs shows it." },
  input: z.strictObject({ id: field(z.string().max(100), "Job", "The id of the job.") }),
  output: JOB,
  refusals: ["absent"],
  async alsoFor({ id }, parts) {
    return (await (await parts.rows()).administration.jobs.find(id, new Date()))?.action;
  },
  async run({ input: { id }, parts, now }) {
    const job = await (await parts.rows()).administration.jobs.find(id, now);
    if (!job) throw absent(`There is no job "${id}", or it is older than 30 days.`);
    return shownJob(job);
  },
});

/** Long actions that the API started. */
export const JOB_ACTIONS = [listJobs, showJob];

function shownJob({ createdAt, endedAt, ...job }: ActionJob): ShownJob {
  return {
    ...job,
    createdAt: createdAt.toISOString(),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  };
}
