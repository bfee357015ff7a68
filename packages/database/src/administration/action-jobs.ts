import { JOB_DAYS, JOB_HELD_MS } from "@sealhouse/jobs";
import type { ActionJob, ActionJobs } from "@sealhouse/jobs";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const ID = { id: param.text(64) };
const LISTED_MAX = 1_000;
const COLUMNS = [
  "id",
  "action",
  "actor",
  "input",
  "state",
  "result",
  "progress",
  "held_until",
  "created_at",
  "ended_at",
] as const;

const FORGET = defineStatement("jobs-forget", { before: param.time }, (db, { before }) =>
  db.deleteFrom("action_jobs").where("created_at", "<", before),
);
const BEGIN = defineStatement(
  "job-begin",
  {
    ...ID,
    action: param.text(64),
    actor: param.text(255),
    input: param.longText,
    until: param.time,
    at: param.time,
  },
  (db, { id, action, actor, input, until, at }) =>
    db.insertInto("action_jobs").values((job) => ({
      id,
      action,
      actor,
      input,
      state: job.val("running"),
      held_until: until,
      created_at: at,
    })),
);
const EXTEND = defineStatement("job-extend", { ...ID, until: param.time }, (db, { id, until }) =>
  db.updateTable("action_jobs").set({ held_until: until }).where("id", "=", id),
);
const REPORT = defineStatement("job-report", { ...ID, line: param.longText }, (db, { id, line }) =>
  db.updateTable("action_jobs").set({ progress: line }).where("id", "=", id),
);
const END = defineStatement(
  "job-end",
  { ...ID, state: param.text(16), result: param.longText, at: param.time },
  (db, { id, state, result, at }) =>
    db.updateTable("action_jobs").set({ state, result, ended_at: at }).where("id", "=", id),
);
const FIND = defineStatement("job", ID, (db, { id }) =>
  db.selectFrom("action_jobs").select(COLUMNS).where("id", "=", id),
);
const LIST = defineStatement("jobs", { limit: param.whole }, (db, { limit }, own) =>
  own.limit(
    db.selectFrom("action_jobs").select(COLUMNS).orderBy("created_at", "desc").orderBy("id"),
    limit,
  ),
);

/** Jobs of long actions. */
export function createActionJobs(queries: Queries): ActionJobs {
  return {
    async begin({ input, ...job }, now) {
      const before = new Date(now.getTime() - JOB_DAYS * 24 * 60 * 60 * 1_000);
      await queries.run(FORGET, { before });
      const until = heldFrom(now);
      await queries.run(BEGIN, { ...job, input: JSON.stringify(input), until, at: now });
    },
    async extend(id, now) {
      await queries.run(EXTEND, { id, until: heldFrom(now) });
    },
    async report(id, line) {
      await queries.run(REPORT, { id, line });
    },
    async end(id, { state, result, at }) {
      await queries.run(END, { id, state, result: JSON.stringify(result ?? null), at });
    },
    async find(id, now) {
      const row = await queries.one(FIND, { id });
      return row && jobOf(row, now);
    },
    async list(now) {
      return (await queries.all(LIST, { limit: LISTED_MAX })).map((row) => jobOf(row, now));
    },
  };
}

function heldFrom(now: Date): Date {
  return new Date(now.getTime() + JOB_HELD_MS);
}

type Row = {
  readonly id: string;
  readonly action: string;
  readonly actor: string;
  readonly input: string;
  readonly state: string;
  readonly result: string | null;
  readonly progress: string | null;
  readonly held_until: Date;
  readonly created_at: Date;
  readonly ended_at: Date | null;
};

function jobOf(row: Row, now: Date): ActionJob {
  const { id, action, actor, result, ended_at: endedAt } = row;
  return {
    id,
    action,
    actor,
    input: JSON.parse(row.input) as unknown,
    state: stateOf(row, now),
    ...(result !== null && { result: JSON.parse(result) as unknown }),
    ...(row.progress !== null && { progress: row.progress }),
    createdAt: row.created_at,
    ...(endedAt && { endedAt }),
  };
}

function stateOf({ state, held_until: until }: Row, now: Date): ActionJob["state"] {
  if (state === "done" || state === "refused" || state === "failed") return state;
  return until < now ? "lost" : "running";
}
