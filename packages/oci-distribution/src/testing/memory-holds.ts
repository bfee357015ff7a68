import type { Holds } from "../gc/ports.ts";
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
