import type { CountedNetwork } from "../network.ts";

/** Limits how much work of a network runs at the same time. */
export type InFlight = {
  /** Runs the work; undefined when `most` times the share of a network run already. */
  run<T>(networks: readonly CountedNetwork[], work: () => Promise<T>): Promise<T | undefined>;
};

/** Creates a count of the running work of each network, in this process. */
export function createInFlight(most: number): InFlight {
  const running = new Map<string, number>();
  const add = (key: string, change: number) => {
    const count = (running.get(key) ?? 0) + change;
    if (count > 0) running.set(key, count);
    else running.delete(key);
  };
  return {
    async run(networks, work) {
      const isFull = networks.some(({ key, share }) => (running.get(key) ?? 0) >= most * share);
      if (isFull) return undefined;
      for (const { key } of networks) add(key, 1);
      try {
        return await work();
      } finally {
        for (const { key } of networks) add(key, -1);
      }
    },
  };
}
