import { BoundedCache } from "@sealhouse/bounded-cache";
/** Users whose tokens were used, for a check behind the requests. */
export type UseQueue = AsyncDisposable & { readonly add: (userId: string) => void };

/** Number of users whose last check is remembered. */
const REMEMBERED_MAX = 10_000;

/** Collects users, and checks each at most once within `waitMs`. Disposal waits for the check. */
export function createUseQueue(options: {
  readonly check: (userIds: readonly string[]) => Promise<void>;
  readonly waitMs: number;
  readonly now: () => Date;
  /** Must not throw. */
  readonly onError: (error: unknown) => void;
}): UseQueue {
  const { check, waitMs, now, onError } = options;
  const age = { maxMs: waitMs, now: () => now().getTime() };
  const recent = new BoundedCache<string, true>({ entries: REMEMBERED_MAX, age });
  const waiting = new Set<string>();
  let running: Promise<void> | undefined;
  const closed = new AbortController();

  const drain = async () => {
    while (waiting.size > 0 && !closed.signal.aborted) {
      const userIds = [...waiting];
      waiting.clear();
      await check(userIds).catch(onError);
    }
    running = undefined;
  };
  return {
    add(userId) {
      if (closed.signal.aborted || recent.has(userId)) return;
      recent.set(userId, true);
      waiting.add(userId);
      running ??= drain();
    },
    async [Symbol.asyncDispose]() {
      closed.abort();
      await running;
    },
  };
}
