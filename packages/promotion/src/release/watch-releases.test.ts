import { createMemoryLeases } from "@sealhouse/jobs/testing";
import { SYSTEM } from "@sealhouse/events";
import { expect, test } from "vitest";
import { createMemoryReleases } from "../testing/memory-releases.ts";
import type { TargetRow } from "../target/ports.ts";
import type { ReleaseStep } from "./ports.ts";
import { releaseLease, watchReleases } from "./watch-releases.ts";

const MINUTE_MS = 60_000;
const ID = "release";
const PROD: TargetRow = { name: "prod", protocol: "npm", endpoint: "https://a/", options: "{}" };

/** One release that was opened at the start, and the watch. */
async function openWatch() {
  const clock = { ms: 0 };
  const now = () => new Date(clock.ms);
  const { rows } = createMemoryReleases(now);
  const common = { group: "g", kind: "syndication", targets: ["prod"], items: [] } as const;
  await rows.open({ id: ID, key: "k", lane: "prod/g", ...common }, SYSTEM);
  const leases = createMemoryLeases(() => clock.ms);
  const targets: TargetRow[] = [PROD];
  const watch = watchReleases({
    releases: rows,
    targets: { list: async () => targets },
    leases,
    now,
  });
  const problemsAt = async (minutes: number) => {
    clock.ms = minutes * MINUTE_MS;
    await watch.job.run(new AbortController().signal);
    return watch.problems();
  };
  const step = (change: Partial<ReleaseStep>) =>
    rows.move(ID, { from: "frozen", state: "frozen", ...change });
  return { leases, targets, problemsAt, step };
}

const STALLED = expect.stringMatching(/^1 releases wait for over 10 minutes/);

test("a release that is not taken up for ten minutes is a problem until it is", async () => {
  const { leases, problemsAt, step } = await openWatch();
  expect((await problemsAt(9)).releases).toBeUndefined();
  expect((await problemsAt(10)).releases).toEqual(STALLED);
  await leases.acquire(releaseLease(ID), "instance", MINUTE_MS);
  expect((await problemsAt(10.5)).releases).toBeUndefined();
  expect((await problemsAt(12)).releases).toEqual(STALLED);
  await step({ attemptsSince: new Date(12 * MINUTE_MS) });
  expect((await problemsAt(13)).releases).toBeUndefined();
  await step({ nextAt: new Date(40 * MINUTE_MS) });
  expect((await problemsAt(49)).releases).toBeUndefined();
  expect((await problemsAt(50)).releases).toEqual(STALLED);
  await step({ state: "released" });
  expect((await problemsAt(60)).releases).toBeUndefined();
});

test("a paused target is a problem", async () => {
  const { targets, problemsAt } = await openWatch();
  expect((await problemsAt(0)).targets).toBeUndefined();
  targets.push({ ...PROD, name: "next", pausedAt: new Date(0), pauseReason: "401" });
  expect((await problemsAt(1)).targets).toMatch(/^1 targets are paused/);
});
