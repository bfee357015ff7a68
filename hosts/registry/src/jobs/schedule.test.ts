import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { openSchedule } from "./schedule.ts";

const SILENT = createLog({ level: "None", format: "Json" }, () => undefined);

test("runs a job again and again, one run at a time, also after a failure", async () => {
  let runs = 0;
  let together = 0;
  const lines: string[] = [];
  const log = createLog({ level: "Error", format: "Json" }, (line) => lines.push(line));
  const run = async () => {
    together += 1;
    expect(together).toBe(1);
    await delay(5);
    together -= 1;
    runs += 1;
    if (runs === 1) throw new Error("once");
  };
  const schedule = openSchedule([{ name: "try", everyMs: 1, firstAfterMs: 0, run }], log);
  await expect.poll(() => runs).toBeGreaterThan(2);
  await schedule[Symbol.asyncDispose]();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"job":"try"');
});

test("disposal aborts the run in hand, waits for it, and starts no other", async () => {
  const happened: string[] = [];
  const run = async (signal: AbortSignal) => {
    happened.push("started");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await delay(20);
    happened.push("ended");
  };
  const schedule = openSchedule([{ name: "x", everyMs: 1, firstAfterMs: 0, run }], SILENT);
  await expect.poll(() => happened).toEqual(["started"]);
  await schedule[Symbol.asyncDispose]();
  expect(happened).toEqual(["started", "ended"]);
});

test("a job that has not begun yet does not hold up disposal", async () => {
  const run = () => Promise.reject(new Error("must not run"));
  const job = { name: "late", everyMs: 3_600_000, firstAfterMs: 3_600_000, run };
  await openSchedule([job], SILENT)[Symbol.asyncDispose]();
});
