import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { openSchedule } from "./schedule.ts";
import type { JobFailure } from "./schedule.ts";

const ignore = () => undefined;

test("a job runs repeatedly, one run at a time, and continues after a failure", async () => {
  let runs = 0;
  let together = 0;
  const failures: JobFailure[] = [];
  const run = async () => {
    together += 1;
    expect(together).toBe(1);
    await delay(5);
    together -= 1;
    runs += 1;
    if (runs === 1) throw new Error("once");
  };
  const schedule = openSchedule([{ name: "try", everyMs: 1, firstAfterMs: 0, run }], (failure) =>
    failures.push(failure),
  );
  await expect.poll(() => runs).toBeGreaterThan(2);
  await schedule[Symbol.asyncDispose]();
  expect(failures).toEqual([{ job: "try", error: new Error("once") }]);
});

test("disposal aborts the current run, waits for it, and starts no other", async () => {
  const happened: string[] = [];
  const run = async (signal: AbortSignal) => {
    happened.push("started");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await delay(20);
    happened.push("ended");
  };
  const schedule = openSchedule([{ name: "x", everyMs: 1, firstAfterMs: 0, run }], ignore);
  await expect.poll(() => happened).toEqual(["started"]);
  await schedule[Symbol.asyncDispose]();
  expect(happened).toEqual(["started", "ended"]);
});

test("a job that has not started does not delay disposal", async () => {
  const run = () => Promise.reject(new Error("must not run"));
  const job = { name: "late", everyMs: 3_600_000, firstAfterMs: 3_600_000, run };
  await openSchedule([job], ignore)[Symbol.asyncDispose]();
});
