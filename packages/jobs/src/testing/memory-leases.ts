import type { Fence } from "../fence.ts";
import { latestLeaseEnd } from "../leases.ts";
import type { Leases } from "../leases.ts";

/** Leases of one process, and the comparison that a database makes in its transactions. */
export type MemoryLeases = Leases & {
  /** Whether no other holder has acquired the lease since the fence was given. */
  isCurrent(fence: Fence): boolean;
};

/** Creates leases of one process, for tests. `now` gives milliseconds. */
export function createMemoryLeases(now: () => number = Date.now): MemoryLeases {
  const rows = new Map<string, { holder: string; token: number; heldUntil: number }>();
  return {
    async acquire(name, holder, leaseMs) {
      const row = rows.get(name);
      const isHeld =
        row !== undefined && row.heldUntil > now() && row.heldUntil <= latestLeaseEnd(now());
      if (isHeld && row.holder !== holder) return undefined;
      const token = isHeld ? row.token : (row?.token ?? 0) + 1;
      rows.set(name, { holder, token, heldUntil: now() + leaseMs });
      return token;
    },
    async release(name, holder) {
      const row = rows.get(name);
      if (row?.holder === holder) row.heldUntil = 0;
    },
    async heldUntil(name) {
      const { heldUntil = 0 } = rows.get(name) ?? {};
      const isHeld = heldUntil > now() && heldUntil <= latestLeaseEnd(now());
      return isHeld ? new Date(heldUntil) : undefined;
    },
    isCurrent: ({ lease, token }) => rows.get(lease)?.token === token,
  };
}
