import type { PolicyRule, PolicyRules } from "@sealhouse/upstream-sources";
import { KEPT_HOURS } from "@sealhouse/http-responses";
import type { IdempotentAnswers, KeptAnswer } from "@sealhouse/http-responses";
import { JOB_DAYS, JOB_HELD_MS } from "@sealhouse/jobs";
import type { ActionJob, ActionJobs } from "@sealhouse/jobs";

/** Answers in memory. */
export function memoryAnswers(): IdempotentAnswers {
  const rows = new Map<string, { input: string; answer?: KeptAnswer; at: number }>();
  return {
    async begin({ id, input }, now) {
      const before = now.getTime() - KEPT_HOURS * 60 * 60 * 1_000;
      for (const [key, { at }] of rows) if (at < before) rows.delete(key);
      const row = rows.get(id);
      if (!row) {
        rows.set(id, { input, at: now.getTime() });
        return { status: "new" };
      }
      if (row.input !== input) return { status: "other" };
      return row.answer ? { status: "done", answer: row.answer } : { status: "running" };
    },
    async end({ id }, answer) {
      const row = rows.get(id);
      if (answer && row) row.answer = answer;
      else rows.delete(id);
    },
  };
}

/** Jobs in memory. */
export function memoryJobs(): ActionJobs {
  const rows = new Map<string, ActionJob & { readonly until: number }>();
  const change = (id: string, changes: Partial<ActionJob & { readonly until: number }>) => {
    const row = rows.get(id);
    if (row) rows.set(id, { ...row, ...changes });
  };
  const shown = ({ until, ...job }: ActionJob & { readonly until: number }, now: Date) =>
    job.state === "running" && until < now.getTime() ? { ...job, state: "lost" as const } : job;
  const heldFrom = (now: Date) => now.getTime() + JOB_HELD_MS;
  return {
    async begin(job, now) {
      const before = now.getTime() - JOB_DAYS * 24 * 60 * 60 * 1_000;
      for (const [id, { createdAt }] of rows) if (createdAt.getTime() < before) rows.delete(id);
      rows.set(job.id, { ...job, state: "running", createdAt: now, until: heldFrom(now) });
    },
    extend: async (id, now) => change(id, { until: heldFrom(now) }),
    report: async (id, progress) => change(id, { progress }),
    end: async (id, { state, result, at }) => change(id, { state, result, endedAt: at }),
    async find(id, now) {
      const row = rows.get(id);
      return row && shown(row, now);
    },
    list: async (now) => [...rows.values()].map((row) => shown(row, now)).toReversed(),
  };
}

/** Rules in memory. */
export function memoryRules(): PolicyRules {
  const rules: PolicyRule[] = [];
  return {
    list: async () => [...rules],
    add: async (rule) => void rules.push(rule),
    async remove(id) {
      const at = rules.findIndex((rule) => rule.id === id);
      if (at === -1) return "absent";
      rules.splice(at, 1);
      return "removed";
    },
  };
}
