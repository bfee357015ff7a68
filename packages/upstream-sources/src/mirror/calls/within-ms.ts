import { setTimeout as pause } from "node:timers/promises";

/** Undefined when the work takes longer. */
export async function withinMs<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const ended = new AbortController();
  const options = { signal: ended.signal, ref: false };
  const result = await Promise.race([work, pause(ms, undefined, options).catch(() => undefined)]);
  ended.abort();
  return result;
}
