import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { garbageContract } from "../testing/contract/gc-cases.ts";
import { newBlob, repository } from "../testing/contract/contract-case.ts";
import { begun, findCandidates, markAll } from "../testing/contract/gc-case.ts";
import { createMemoryCatalog } from "../testing/memory-catalog.ts";
import { KEEPINGS, KEPT_BY, SATISFIED_BY, useLimits } from "./reachability.ts";

const HOUR_MS = 3_600_000;

function newSubject(clockThresholdMs = 0) {
  let time = Date.UTC(2026, 0, 1);
  const clock = { now: () => new Date(time), advance: (ms: number) => void (time += ms) };
  return { ...createMemoryCatalog({ now: () => time, clockThresholdMs }), clock };
}

/** The names of the cases of the contract that the in-memory catalog does not pass. */
async function failures(): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { name, run } of garbageContract) {
    await run(newSubject()).catch(() => failed.push(name));
  }
  await youngLinkStays().catch(() => failed.push("a young link stays"));
  return failed;
}

/** With a threshold, a clock may be older than a link that was made since. */
async function youngLinkStays(): Promise<void> {
  const subject = newSubject(3 * HOUR_MS);
  const blob = newBlob("in two repositories");
  await subject.blobs.link(repository("one"), blob);
  subject.clock.advance(2 * HOUR_MS);
  await subject.blobs.link(repository("other"), blob);
  const unusedSince = new Date(subject.clock.now().getTime() - HOUR_MS);
  const run = await begun(subject, { unusedSince });
  await markAll(subject, run);
  const [link, ...more] = await findCandidates(subject, run, "link");
  assert.deepEqual(more, []);
  assert.equal(link?.kind === "link" && link.repository, "one");
}

const tables: readonly (readonly [name: string, entries: readonly unknown[]])[] = [
  ["KEEPINGS", KEEPINGS],
  ...Object.entries(KEPT_BY).map(([kind, reasons]) => [`KEPT_BY.${kind}`, reasons] as const),
  ...Object.entries(SATISFIED_BY).map(([kind, types]) => [`SATISFIED_BY.${kind}`, types] as const),
];
const entries = tables.flatMap(([name, all]) => {
  return all.map((entry, index) => ({ name, entry, index, table: all as unknown[] }));
});

test("the in-memory catalog passes the contract", async () => {
  expect(await failures()).toEqual([]);
});

test.each(entries)("the contract fails without $name[$index] $entry", async (removed) => {
  const { table, index, entry } = removed;
  table.splice(index, 1);
  try {
    expect(await failures()).not.toEqual([]);
  } finally {
    table.splice(index, 0, entry);
  }
});

test("an untagged manifest never expires earlier than other rows", () => {
  const unusedSince = new Date(1_000);
  for (const [input, untaggedSince] of [
    [undefined, 1_000] as const,
    [500, 500] as const,
    [2_000, 1_000] as const,
  ]) {
    const limits = useLimits({ unusedSince }, input === undefined ? input : new Date(input));
    expect(limits).toEqual({ unusedSince, untaggedSince: new Date(untaggedSince) });
  }
});
