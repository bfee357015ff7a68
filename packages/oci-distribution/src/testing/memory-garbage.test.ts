import { expect, test } from "vitest";
import { garbageContract } from "./contract/gc-cases.ts";
import { createMemoryCatalog } from "./memory-catalog.ts";

test.each(garbageContract)("the collector in memory $name", async ({ run }) => {
  let timeMs = Date.UTC(2026, 0, 1);
  const clock = { now: () => new Date(timeMs), advance: (ms: number) => void (timeMs += ms) };
  await expect(
    run({ ...createMemoryCatalog({ now: () => timeMs }), clock }),
  ).resolves.toBeUndefined();
});
