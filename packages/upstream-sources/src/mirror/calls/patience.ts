import { setTimeout as pause } from "node:timers/promises";
import type { Patience } from "@sealhouse/http-responses/outgoing";

/** Attempts of calls that a client waits for: two, with a pause of at most two seconds. */
export const PATIENCE: Patience = { attemptsMax: 2, waitMaxMs: 2_000 };

/** Undefined when the work takes longer. */
export async function withinMs<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const ended = new AbortController();
  const options = { signal: ended.signal, ref: false };
  const result = await Promise.race([work, pause(ms, undefined, options).catch(() => undefined)]);
  ended.abort();
  return result;
}
