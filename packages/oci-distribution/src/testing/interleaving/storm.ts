import { setImmediate } from "node:timers/promises";
import type { Client } from "./clients.ts";
import { operations } from "./clients.ts";
import { MINIMUM_AGE_MS, collectSomething } from "./collector-task.ts";
import { isTooSlow, unexpected } from "./failures.ts";
import { Oracle } from "./oracle.ts";
import { createRandom } from "./random.ts";
import type { RegistryPorts } from "./watched-ports.ts";

export type StormOptions = {
  readonly seed: number;
  readonly clients: number;
  /** Number of operations of each client. */
  readonly operations: number;
  readonly now: () => number;
  /** Lets time pass for the registry. */
  readonly advance: (ms: number) => void;
};

/**
 * Runs the same clients and collectors concurrently on a registry with real locks. Their order is
 * not fixed, so a seed does not repeat a run. Rejects with a `Violation` for every answer that is
 * an error of the registry's. The caller checks the final state.
 */
export async function runStorm(registry: RegistryPorts, options: StormOptions): Promise<void> {
  const { seed, clients, now, advance } = options;
  let ids = 0;
  const newId = () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, "0")}`;
  const clientOf = (number: number): Client => {
    const random = createRandom(seed * 1_000 + number);
    const pause = async () => {
      if (random.chance(0.2)) await setImmediate();
    };
    return { ...registry, random, pause, now, newId, oracle: new Oracle(now, MINIMUM_AGE_MS) };
  };
  const over = new AbortController();
  const working = Promise.all(
    Array.from({ length: clients }, (_, number) => work(clientOf(number), options.operations)),
  ).finally(() => over.abort());
  const collecting = async (client: Client) => {
    while (!over.signal.aborted) {
      // A client that finds another runner would retry in an endless loop, without a turn for
      // others.
      await setImmediate();
      await attempt(client, "collect", collectSomething);
      // Long enough for everything to be old: what is being used right now must stay all the same.
      if (client.random.chance(0.5)) advance(2 * MINIMUM_AGE_MS);
    }
  };
  await Promise.all([working, collecting(clientOf(clients)), collecting(clientOf(clients + 1))]);
}

async function work(client: Client, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    await attempt(client, ...client.random.pick(operations));
  }
}

async function attempt(
  client: Client,
  name: string,
  operation: (client: Client) => Promise<void>,
): Promise<void> {
  try {
    await operation(client);
  } catch (error) {
    if (!isTooSlow(error)) throw unexpected(name, error);
  }
}
