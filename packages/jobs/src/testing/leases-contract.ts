import { expect, test } from "vitest";
import type { Leases } from "../leases.ts";

/** What every implementation of `Leases` must do. `open` gives an empty one and its clock. */
export function leasesContract(
  open: () => Promise<{ leases: Leases; pass: (ms: number) => void } & AsyncDisposable>,
): void {
  test("one holder has a lease until it expires, and its token rises with the holder", async () => {
    await using opened = await open();
    const { leases, pass } = opened;
    const first = await leases.acquire("sweep", "a", 1000);
    expect(first).toBeGreaterThan(0);
    expect(await leases.acquire("sweep", "b", 1000)).toBeUndefined();
    pass(600);
    expect(await leases.acquire("sweep", "a", 1000)).toBe(first);
    pass(600);
    expect(await leases.acquire("sweep", "b", 1000)).toBeUndefined();
    pass(600);
    expect(await leases.acquire("sweep", "b", 1000)).toBeGreaterThan(first ?? 0);
    expect(await leases.acquire("sweep", "a", 1000)).toBeUndefined();
  });

  test("a lease that was released is free at once, and only its holder releases it", async () => {
    await using opened = await open();
    const { leases } = opened;
    const first = await leases.acquire("sweep", "a", 1000);
    await leases.release("sweep", "b");
    expect(await leases.acquire("sweep", "b", 1000)).toBeUndefined();
    await leases.release("sweep", "a");
    const second = await leases.acquire("sweep", "b", 1000);
    expect(second).toBeGreaterThan(first ?? 0);
  });

  test("leases of different names are independent", async () => {
    await using opened = await open();
    const { leases } = opened;
    expect(await leases.acquire("sweep", "a", 1000)).toBeDefined();
    expect(await leases.acquire("retention", "b", 1000)).toBeDefined();
  });
}
