import { expect, test } from "vitest";
import { auditRetentionJob } from "./audit-retention-job.ts";

const HOUR_MS = 3_600_000;

function openJob(counts: number[]) {
  const trimmed: Date[] = [];
  const messages: [fields: object, message: string][] = [];
  const job = auditRetentionJob({
    audit: {
      async trim(before) {
        trimmed.push(before);
        return counts.shift() ?? 0;
      },
    },
    retentionMs: 2 * HOUR_MS,
    log: { info: (fields, message) => void messages.push([fields, message]) },
    now: () => new Date(5 * HOUR_MS),
  });
  return { job, trimmed, messages };
}

test("deletes records that are older than the retention time, batch by batch", async () => {
  const { job, trimmed, messages } = openJob([100, 7]);
  await job.run(new AbortController().signal);
  const before = new Date(3 * HOUR_MS);
  expect(trimmed).toEqual([before, before, before]);
  expect(messages).toEqual([[{ deleted: 107, before }, "deleted old audit records"]]);
});

test("logs nothing when no record is old enough", async () => {
  const { job, messages } = openJob([]);
  await job.run(new AbortController().signal);
  expect(messages).toEqual([]);
});

test("stops between two batches", async () => {
  const { job, trimmed } = openJob([100]);
  await job.run(AbortSignal.abort());
  expect(trimmed).toEqual([]);
});
