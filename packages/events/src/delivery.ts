import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { RegistryEvent } from "./event.ts";
import type { Outbox } from "./ports.ts";

/** A consumer of events. */
export type Consumer = {
  /** Key of the stored progress; renaming it restarts delivery. */
  readonly name: string;
  /**
   * Handles events in order, each at least once: a crash, a second instance or an error within a
   * batch delivers them again. A rejection delivers the batch again later. Must settle eventually.
   */
  readonly handle: (events: readonly RegistryEvent[]) => Promise<void>;
};

/** A failed delivery attempt. */
export type DeliveryFailure = {
  readonly consumer: string;
  readonly error: unknown;
  /** 1 for the first failure in a row. */
  readonly attempt: number;
  readonly retryAt: Date;
};

/** Dependencies and settings of `openDelivery`. */
export type DeliveryOptions = {
  readonly outbox: Outbox;
  readonly consumers: readonly Consumer[];
  /** Milliseconds between checks for events of other instances, which call no `wake` here. */
  readonly pollMs: number;
  /** Milliseconds to wait after a wake, so that more events join the batch. Default 0. */
  readonly gatherMs?: number;
  readonly now: () => Date;
  /** Receives every failed attempt. Must not throw. */
  readonly onError: (failure: DeliveryFailure) => void;
  readonly batchMax?: number;
  /** Milliseconds after the first failure; doubles with each further failure up to `retryMaxMs`. */
  readonly retryMs?: number;
  readonly retryMaxMs?: number;
  /** Milliseconds between deletions of delivered events from the outbox. Default 10 minutes. */
  readonly trimEveryMs?: number;
};

/** A running delivery. Disposal stops it after the current batches. */
export interface Delivery extends AsyncDisposable {
  /** Checks for new events now. Cheap; never throws. */
  wake(): void;
}

/**
 * Delivers outbox events to each consumer, at least once and in order, until disposal. Consumers
 * are independent; failures are retried with increasing delays. Disposal waits for current batches.
 *
 * @throws TypeError when two consumers have the same name
 */
export function openDelivery(options: DeliveryOptions): Delivery {
  const names = options.consumers.map((consumer) => consumer.name);
  if (new Set(names).size < names.length) {
    throw new TypeError(`Consumers of events require unique names: ${names.join(", ")}.`);
  }
  const stopped = new AbortController();
  const running = options.consumers.map((consumer) => {
    const wakeSignal = createWakeSignal();
    stopped.signal.addEventListener("abort", () => wakeSignal.notify());
    return {
      wakeSignal,
      done: deliverTo(consumer, options, { wakeSignal, stopped: stopped.signal }),
    };
  });

  const trimming = trimRepeatedly(options, names, stopped.signal);

  return {
    wake() {
      for (const { wakeSignal } of running) wakeSignal.notify();
    },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await Promise.all([trimming, ...running.map(({ done }) => done)]);
    },
  };
}

/** Safe on all instances at once, because deleted events are skipped. */
async function trimRepeatedly(
  { outbox, now, onError, trimEveryMs = 600_000 }: DeliveryOptions,
  names: readonly string[],
  stopped: AbortSignal,
): Promise<void> {
  for (let failures = 0; ;) {
    await pause(trimEveryMs, stopped);
    if (stopped.aborted) return;
    try {
      await outbox.trim(names);
      failures = 0;
    } catch (error) {
      failures += 1;
      const retryAt = new Date(now().getTime() + trimEveryMs);
      onError({ consumer: "outbox", error, attempt: failures, retryAt });
    }
  }
}

type Course = { readonly wakeSignal: WakeSignal; readonly stopped: AbortSignal };

async function deliverTo(consumer: Consumer, options: DeliveryOptions, course: Course) {
  const { batchMax = 100, gatherMs = 0, retryMs = 1_000, retryMaxMs = 300_000 } = options;
  let limit = batchMax;
  let failures = 0;
  while (!course.stopped.aborted) {
    course.wakeSignal.reset();
    try {
      const count = await deliverBatch(consumer, options.outbox, limit);
      failures = 0;
      limit = Math.min(limit * 2, batchMax);
      // An in-process database never yields, and a consumer may be years behind.
      await yieldToEventLoop();
      if (count > 0) continue;
      await course.wakeSignal.wait(options.pollMs);
      if (gatherMs > 0) await pause(gatherMs, course.stopped);
    } catch (error) {
      const waitMs = Math.min(retryMs * 2 ** failures, retryMaxMs);
      failures += 1;
      // One event per batch after a failure, which delivers the events before a bad one.
      limit = 1;
      const retryAt = new Date(options.now().getTime() + waitMs);
      options.onError({ consumer: consumer.name, error, attempt: failures, retryAt });
      await pause(waitMs, course.stopped);
    }
  }
}

async function deliverBatch(consumer: Consumer, outbox: Outbox, limit: number): Promise<number> {
  const events = await outbox.pending(consumer.name, limit);
  if (events.length === 0) return 0;
  await consumer.handle(events);
  await outbox.delivered(
    consumer.name,
    events.map((event) => event.id),
  );
  return events.length;
}

/** Other wake calls do not shorten the delay of a failing consumer. */
function pause(waitMs: number, stopped: AbortSignal): Promise<void> {
  const wakeSignal = createWakeSignal();
  const notify = () => wakeSignal.notify();
  stopped.addEventListener("abort", notify, { once: true });
  if (stopped.aborted) wakeSignal.notify();
  return wakeSignal.wait(waitMs).finally(() => stopped.removeEventListener("abort", notify));
}

type WakeSignal = {
  notify(): void;
  /** Clears earlier signals. Later writes are never missed. */
  reset(): void;
  /** Resolves at the next signal, at once when there was one since `reset`, or after the time. */
  wait(waitMs: number): Promise<void>;
};

function createWakeSignal(): WakeSignal {
  let isNotified = false;
  let listener: (() => void) | undefined;
  return {
    notify() {
      isNotified = true;
      listener?.();
    },
    reset() {
      isNotified = false;
    },
    async wait(waitMs) {
      if (isNotified) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      listener = resolve;
      const timer = setTimeout(resolve, waitMs);
      await promise;
      clearTimeout(timer);
    },
  };
}
