import { expect, test } from "vitest";
import { garbageContract } from "./contract/gc-cases.ts";
import { createMemoryCatalog } from "./memory-catalog.ts";

test.each(garbageContract)("the collector in memory $name", async ({ run }) => {
  let at = Date.UTC(2026, 0, 1);
  const clock = { now: () => new Date(at), advance: (ms: number) => void (at += ms) };
  await expect(run({ ...createMemoryCatalog({ now: () => at }), clock })).resolves.toBeUndefined();
});
