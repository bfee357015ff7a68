import type { SignInFailures } from "../ports.ts";

/** Counts failed sign-ins in memory. */
export function createMemorySignInFailures(): SignInFailures {
  const times = new Map<string, number>();
  return {
    emptyAt: async (address) => times.get(address),
    async add(address, { now, stepMs, windowMs }) {
      const next = Math.max(times.get(address) ?? 0, now) + stepMs;
      if (next > now + windowMs) return "full";
      times.set(address, next);
      return "added";
    },
  };
}
