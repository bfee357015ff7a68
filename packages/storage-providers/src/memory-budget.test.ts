import { expect, test } from "vitest";
import { createMemoryBudget } from "./memory-budget.ts";

test("few leases are large, many are small, and disposal frees memory", () => {
  const leaseMemory = createMemoryBudget({ much: 10, little: 1, bytesMax: 25 });
  {
    using all = new DisposableStack();
    const bytes = Array.from({ length: 8 }, () => all.use(leaseMemory()).bytes);
    expect(bytes).toEqual([10, 10, 1, 1, 1, 1, 1, 1]);
  }
  using lease = leaseMemory();
  expect(lease.bytes).toBe(10);
});

test("a second disposal has no effect", () => {
  const leaseMemory = createMemoryBudget({ much: 10, little: 1, bytesMax: 20 });
  const lease = leaseMemory();
  lease[Symbol.dispose]();
  lease[Symbol.dispose]();
  using all = new DisposableStack();
  const bytes = Array.from({ length: 3 }, () => all.use(leaseMemory()).bytes);
  expect(bytes).toEqual([10, 10, 1]);
});
