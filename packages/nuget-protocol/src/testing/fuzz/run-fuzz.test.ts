import { expect, test } from "vitest";
import { createTestFeed } from "../test-feed.ts";
import { fuzzSeeds } from "./seeds.ts";
import { runFuzz } from "./run-fuzz.ts";

const SECONDS = 4;

test(`${SECONDS} seconds of mutated packages are answered, each with a reason`, async () => {
  const seeds = fuzzSeeds();
  expect(seeds.length).toBeGreaterThan(30);
  const report = await runFuzz({ seeds, durationMs: SECONDS * 1000, seed: Date.now() % 2 ** 31 });
  expect(report.failures.map(({ seed, what }) => `${seed}: ${what}`)).toEqual([]);
  expect(report.cases).toBeGreaterThan(100);
  expect(report.accepted).toBeGreaterThan(0);
  expect(report.refused).toBeGreaterThan(report.accepted);
});

test("the same seed gives the same cases", async () => {
  const options = { seeds: fuzzSeeds(), durationMs: 60_000, casesMax: 100, seed: 7 };
  const { accepted, refused } = await runFuzz(options);
  expect(await runFuzz(options)).toMatchObject({ cases: 100, accepted, refused });
});

test("reports a violation with the bytes that caused it", async () => {
  const broken = () => Promise.reject(new Error("out of order"));
  const lookup = { find: broken, summaries: broken, versions: broken };
  const createFeed = () => createTestFeed({ lookup });
  const limits = { durationMs: 60_000, casesMax: 200, seed: 3 };
  const { failures } = await runFuzz({ seeds: fuzzSeeds(), createFeed, ...limits });
  expect(failures).not.toEqual([]);
  expect(failures[0]).toMatchObject({ what: expect.stringContaining("out of order") as string });
  expect(failures[0]?.bytes.length).toBeGreaterThan(0);
});
