import { expect, test } from "vitest";
import { watchJobs } from "./regular-jobs.ts";

const { signal } = new AbortController();

function openJobs() {
  const gate = { open: Promise.withResolvers<void>() };
  let runs = 0;
  let time = 0;
  const times = { everyMs: 1_000, firstAfterMs: 0 };
  const sweep = async () => {
    runs += 1;
    await gate.open.promise;
  };
  const fail = () => Promise.reject(new Error("the disk is full"));
  const jobs = [
    { name: "sweep", ...times, run: sweep },
    { name: "mail", ...times, run: fail },
  ];
  return { ...watchJobs(jobs, () => new Date(++time)), gate, runs: () => runs };
}

test("jobs are listed by name with their last run", async () => {
  const { jobs, regular, gate } = openJobs();
  const [sweep] = jobs;
  const running = sweep?.run(signal);
  expect(regular.list()).toEqual([
    { name: "mail", everyMs: 1_000, isRunning: false },
    { name: "sweep", everyMs: 1_000, isRunning: true, startedAt: new Date(1) },
  ]);
  gate.open.resolve();
  await running;
  expect(regular.list()[1]).toEqual({
    name: "sweep",
    everyMs: 1_000,
    isRunning: false,
    startedAt: new Date(1),
    endedAt: new Date(2),
  });
});

test("a run that was asked for joins the one of the schedule", async () => {
  const { jobs, regular, gate, runs } = openJobs();
  const scheduled = jobs[0]?.run(signal);
  const asked = regular.run("sweep", signal);
  gate.open.resolve();
  await scheduled;
  await asked;
  expect(runs()).toBe(1);
  await regular.run("sweep", signal);
  expect(runs()).toBe(2);
  expect(await regular.run("other", signal)).toBeUndefined();
});

test("a failed run is shown until the next one, and rejects", async () => {
  const { regular } = openJobs();
  await expect(regular.run("mail", signal)).rejects.toThrow("the disk is full");
  expect(regular.list()[0]).toMatchObject({ isRunning: false, failure: "the disk is full" });
});
