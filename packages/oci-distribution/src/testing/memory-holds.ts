import type { GarbageLeases, Holds } from "../gc/ports.ts";
import type { State } from "./memory-state.ts";

export function createMemoryHolds({ holds }: State): Holds {
  return {
    async hold(digests, holder, until) {
      const held = holds.get(holder) ?? new Map<(typeof digests)[number], number | undefined>();
      for (const digest of digests) held.set(digest, until?.getTime());
      holds.set(holder, held);
    },
    async release(holder) {
      holds.delete(holder);
    },
  };
}

export function createMemoryLeases({ leases, now }: State): GarbageLeases {
  return {
    async acquire(name, holder, leaseMs) {
      const known = leases.get(name);
      const isHeld = known !== undefined && known.until > now();
      if (isHeld && known.holder !== holder) return undefined;
      const fence = isHeld ? known.fence : (known?.fence ?? 0) + 1;
      leases.set(name, { holder, fence, until: now() + leaseMs });
      return fence;
    },
    async release(name, holder) {
      const known = leases.get(name);
      if (known?.holder === holder) leases.set(name, { ...known, until: 0 });
    },
  };
}
