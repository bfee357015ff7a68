import { expect, test } from "vitest";
import type { PolicyRule } from "./policy-rule.ts";
import { createRuleList } from "./rule-list.ts";

const rule: PolicyRule = {
  id: "r1",
  effect: "deny",
  protocol: "npm",
  pattern: "left-pad",
  versions: "",
  conditions: {},
  reason: "It calls home.",
  createdBy: "ada",
  createdAt: new Date(0),
};

test("rules are read every two seconds, and stay while the database fails", async () => {
  let time = 10_000;
  let reads = 0;
  let rows: readonly PolicyRule[] | Error = [];
  const list = createRuleList({
    now: () => new Date(time),
    stored: {
      async list() {
        reads += 1;
        if (rows instanceof Error) throw rows;
        return [...rows];
      },
    },
  });
  expect(list.known()).toBeUndefined();
  const [first, same] = await Promise.all([list.current(), list.current()]);
  expect([same, list.known(), reads]).toEqual([first, first, 1]);
  rows = [rule];
  time += 1_999;
  expect((await list.current()).rules).toEqual([]);
  time += 1;
  expect(list.known()).toBeUndefined();
  const changed = await list.current();
  expect([changed.rules, changed.revision === first.revision]).toEqual([[rule], false]);
  rows = new Error("the database is away");
  time += 2_000;
  expect(await list.current()).toBe(changed);
  rows = [{ ...rule }];
  // Equal rules are the same set.
  expect(await list.current()).toBe(changed);
  expect(reads).toBe(4);
});

test("a refreshed list reads rules again, even during a read", async () => {
  let rows: readonly PolicyRule[] = [];
  const reads: (() => void)[] = [];
  const list = createRuleList({
    now: () => new Date(0),
    stored: {
      async list() {
        const before = rows;
        await new Promise<void>((resolve) => reads.push(resolve));
        return [...before];
      },
    },
  });
  const read = async (from = list.current()) => {
    reads.shift()?.();
    return (await from).rules;
  };
  expect(await read()).toEqual([]);
  const early = list.current();
  expect((await early).rules).toEqual([]);
  list.refresh();
  const during = list.current();
  rows = [rule];
  list.refresh();
  const after = list.current();
  expect(await read(during)).toEqual([]);
  expect(list.known()).toBeUndefined();
  expect(await read(after)).toEqual([rule]);
  expect(list.known()?.rules).toEqual([rule]);
});
