import { once } from "node:events";
import { Agent, get } from "node:http";
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds from the moment a request was due to the last byte of its answer. */
export type Latencies = readonly number[];

const CONNECTIONS = 64;

/**
 * Sends requests at a fixed rate, even when earlier ones have no answer, like many users: a server
 * that stalls is charged for all requests that were due.
 *
 * @throws Error when an answer is not a 200
 */
export async function atRate(
  urls: readonly string[],
  { perSecond }: { readonly perSecond: number },
): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const startedAt = performance.now();
  const answers = urls.map(async (url, index) => {
    const dueAt = startedAt + (index / perSecond) * 1000;
    await delay(Math.max(0, dueAt - performance.now()));
    // Timers fire late when this process is busy; that is not the server's.
    const sentAt = Math.max(dueAt, performance.now());
    await read(url, agent);
    return performance.now() - sentAt;
  });
  try {
    return await Promise.all(answers);
  } finally {
    agent.destroy();
  }
}

export function percentile(latencies: Latencies, share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function read(url: string, agent: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { agent }, resolve).once("error", reject);
  const answer = await promise;
  answer.resume();
  await once(answer, "end");
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
}
