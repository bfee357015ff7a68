import { BoundedCache } from "@sealhouse/bounded-cache";
import type { QueryPort } from "./raw/query-port.ts";
import type { DatabaseVersion } from "./raw/version.ts";

type Remembered = {
  readonly version: DatabaseVersion;
  readonly answer: Promise<unknown>;
  /** 0 until the answer is there. */
  readonly bytes: number;
};

/** Returns the cached answer to a question, or asks and caches it. Sizes are in bytes. */
export type Remember = <T>(
  question: readonly unknown[],
  ask: () => Promise<T>,
  sizeOf: (answer: T) => number,
) => Promise<T>;

/** Approximate overhead of a row or string in bytes. */
export const OVERHEAD_BYTES = 256;

/** Returns a cache for the present version of the database. */
export type RememberNow = () => Promise<Remember>;

const FORGET: Remember = (_question, ask) => ask();

/**
 * Caches the answers to questions, because pages and tools repeat the same searches, and broad ones
 * are expensive. An answer is valid until any write, so answers are always current. Concurrent
 * equal questions are asked once. A question is JSON and names everything that the answer depends
 * on. Databases that cannot report writes have no cache.
 *
 * @param bytesMax limit of all answers together; one may use an eighth of it
 */
export function rememberAnswers(
  { versions }: Pick<QueryPort, "versions">,
  bytesMax: number,
): RememberNow {
  if (!versions) return async () => FORGET;
  const rememberAt = createMemory(bytesMax);
  return async () => {
    // Read before the question is asked: after a write in between, the next one asks again.
    const version = await versions.current();
    return version === undefined ? FORGET : rememberAt(version);
  };
}

/** Adds the sizes of the items in bytes. */
export function sumOf<T>(items: readonly T[], sizeOf: (item: T) => number): number {
  return items.reduce((bytes, item) => bytes + sizeOf(item), 0);
}

/** Caches results for one version; drops the least recently used ones first. */
function createMemory(bytesMax: number): (version: DatabaseVersion) => Remember {
  const entries = new BoundedCache<string, Remembered>({
    weight: { max: bytesMax, entryMax: bytesMax / 8, of: ({ bytes }) => bytes },
  });
  return (version) => async (question, ask, sizeOf) => {
    const key = JSON.stringify(question);
    const entry = entries.get(key);
    if (entry?.version === version) return entry.answer as ReturnType<typeof ask>;
    const answer = ask();
    entries.set(key, { version, answer, bytes: 0 });
    try {
      const bytes = OVERHEAD_BYTES + key.length + sizeOf(await answer);
      if (entries.get(key)?.answer === answer) entries.set(key, { version, answer, bytes });
    } catch (error) {
      if (entries.get(key)?.answer === answer) entries.delete(key);
      throw error;
    }
    return answer;
  };
}
