import { expect, test } from "vitest";
import { checkComplaints, FailFastError } from "./fail-fast.ts";
import { forEachConcurrent } from "./for-each-concurrent.ts";
import { createReport, joinReports } from "./report.ts";
import type { ImportOutcome } from "./report.ts";

const subject = { name: "a", kind: "package" } as const;
const symbols = { name: "a", kind: "symbols" } as const;
const NOTHING = { imported: 0, importable: 0, existing: 0, refused: 0, failed: 0, symbols: 0 };

test.each<[ImportOutcome, typeof subject | typeof symbols, object]>([
  [{ status: "imported", warnings: [] }, subject, { imported: 1 }],
  [{ status: "importable", warnings: [] }, subject, { importable: 1 }],
  [{ status: "imported", warnings: [] }, symbols, { symbols: 1 }],
  [{ status: "importable", warnings: [] }, symbols, { symbols: 1 }],
  [{ status: "exists" }, subject, { existing: 1 }],
  [{ status: "exists" }, symbols, { existing: 1 }],
  [{ status: "none" }, symbols, {}],
  [{ status: "refused", reason: "r" }, subject, { refused: 1, refusedBy: { other: 1 } }],
  [{ status: "refused", reason: "r", kind: "k" }, subject, { refused: 1, refusedBy: { k: 1 } }],
  [{ status: "failed", reason: "r" }, subject, { failed: 1 }],
])("the outcome %j of %j counts as %j", (outcome, about, expected) => {
  const keeper = createReport();
  keeper.add(outcome, about);
  const report = keeper.report();
  const isGood = outcome.status !== "refused" && outcome.status !== "failed";
  expect(report).toMatchObject({ ...NOTHING, ...expected, isComplete: isGood });
  const complaint = { name: "a", reason: "r" };
  expect(report.refusals).toEqual(outcome.status === "refused" ? [complaint] : []);
  expect(report.failures).toEqual(outcome.status === "failed" ? [complaint] : []);
});

test("warnings name what they are about; parts that cannot be read are failures", () => {
  const keeper = createReport();
  keeper.add({ status: "imported", warnings: ["no licence", "no readme"] }, subject);
  keeper.warn({ name: "b", reason: "no time" });
  keeper.fail({ name: "c", reason: "is gone" });
  expect(keeper.report()).toMatchObject({
    imported: 1,
    failed: 1,
    isComplete: false,
    failures: [{ name: "c", reason: "is gone" }],
    warnings: [
      { name: "a", reason: "no licence" },
      { name: "a", reason: "no readme" },
      { name: "b", reason: "no time" },
    ],
  });
});

test("an interrupted import is not complete", () => {
  const keeper = createReport();
  keeper.stop();
  expect(keeper.report()).toMatchObject({ isInterrupted: true, isComplete: false });
});

test("lists have at most 10,000 entries, numbers are exact", () => {
  const keeper = createReport();
  for (let count = 0; count < 10_050; count += 1) {
    keeper.add({ status: "refused", reason: "r" }, subject);
  }
  const report = keeper.report();
  expect([report.refused, report.refusals.length]).toEqual([10_050, 10_000]);
  const joined = joinReports([report, report]);
  expect([joined.refused, joined.refusals.length]).toEqual([20_100, 10_000]);
});

test("the reports of the parts of an import add up", () => {
  const [first, second] = [createReport(), createReport()];
  first.add({ status: "imported", warnings: ["w"] }, subject);
  first.add({ status: "refused", reason: "r", kind: "k" }, subject);
  second.add({ status: "refused", reason: "s", kind: "k" }, subject);
  second.add({ status: "exists" }, subject);
  second.stop();
  expect(joinReports([first.report(), second.report()])).toEqual({
    ...NOTHING,
    imported: 1,
    existing: 1,
    refused: 2,
    refusedBy: { k: 2 },
    refusals: [
      { name: "a", reason: "r" },
      { name: "a", reason: "s" },
    ],
    failures: [],
    warnings: [{ name: "a", reason: "w" }],
    isInterrupted: true,
    isComplete: false,
  });
  expect(joinReports([])).toMatchObject({ ...NOTHING, isComplete: true });
});

test.each([
  ["refused", true],
  ["failed", true],
  ["imported", false],
] as const)("with failFast, a version that is %s ends the import: %s", (status, ends) => {
  const keeper = createReport();
  keeper.add({ status, reason: "r", warnings: [] }, subject);
  const check = (failFast: boolean) => () => checkComplaints(keeper.report(), failFast);
  expect(check(false)).not.toThrow();
  if (ends) expect(check(true)).toThrow(FailFastError);
  else expect(check(true)).not.toThrow();
});

test("work on a list has a limited number in progress, and ends at a failure", async () => {
  let running = 0;
  let most = 0;
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (item === 4) throw new Error("the fourth");
  };
  const items = Array.from({ length: 20 }, (_, index) => index);
  await expect(forEachConcurrent(items, 3, work)).rejects.toThrow("the fourth");
  expect(most).toBe(3);
  expect(running).toBe(0);
  expect(begun.length).toBeLessThan(12);
  begun.length = 0;
  await forEachConcurrent([1, 2, 3], 8, work);
  expect(begun).toEqual([1, 2, 3]);
});
