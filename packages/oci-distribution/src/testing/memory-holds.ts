import type { Holds } from "../gc/ports.ts";
import type { State } from "./memory-state.ts";

export function createMemoryHolds({ holds }: State): Holds {
  return {
    async hold(digests, holder, until) {
      const heldDigests =
        holds.get(holder) ?? new Map<(typeof digests)[number], number | undefined>();
      for (const digest of digests) heldDigests.set(digest, until?.getTime());
      holds.set(holder, heldDigests);
    },
    async release(holder) {
      holds.delete(holder);
    },
  };
}
