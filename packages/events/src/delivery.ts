import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { errorCodeOf } from "@sealhouse/http-responses";
import type { EventType, RegistryEvent } from "./event.ts";
import { parkEvent, parkFollowers, retryParked } from "./parked-delivery.ts";
import type { Outbox, ParkedEvents } from "./ports.ts";

/** A consumer of events. */
export type Consumer = {
  /** Key of the stored progress; renaming it restarts delivery. */
  readonly name: string;
  /** The types that it reads; undefined: all, those of newer versions too. */
  readonly types?: readonly EventType[];
  /**
   * The key of events whose order it needs, such as a package name. Later events of a key wait
   * while an earlier one is parked. Undefined: parked events delay no others.
   */
  readonly orderOf?: (event: RegistryEvent) => string;
  /**
   * Handles events in order, each at least once: a crash, a second instance or an error within a
   * batch delivers them again. A rejection delivers the batch again later. Must settle eventually.
   * What takes long, such as a call to another server, belongs in a queue of the consumer.
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
  /** The event that no longer delays the others; undefined while it does. */
  readonly parked?: RegistryEvent;
};

/** Dependencies and settings of `openDelivery`. */
export type DeliveryOptions = {
  readonly outbox: Outbox;
  /** Where events go that a consumer cannot take. Without it, it retries them without end. */
  readonly parked?: ParkedEvents;
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
  /** Refusals of the consumer in a row after which a single event is parked; failures of the
   * database are not counted. Default 3. */
  readonly attemptsMax?: number;
  /** From 0 to 1; default: `Math.random`. */
  readonly random?: () => number;
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

  const trimming = trimRepeatedly(options, stopped.signal);

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
  { outbox, consumers, now, onError, trimEveryMs = 600_000 }: DeliveryOptions,
  stopped: AbortSignal,
): Promise<void> {
  for (let failures = 0; ;) {
    await pause(trimEveryMs, stopped);
    if (stopped.aborted) return;
    try {
      await outbox.trim(consumers);
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
  const refusals = { inARow: 0 };
  let parkedAfter = 0;
  while (!course.stopped.aborted) {
    course.wakeSignal.reset();
    try {
      if (options.parked && performance.now() >= parkedAfter) {
        const { now, random = Math.random } = options;
        await retryParked(options.parked, consumer, { now, random, stopped: course.stopped });
        parkedAfter = performance.now() + options.pollMs;
      }
      const count = await deliverBatch(consumer, options, { limit, refusals });
      const mayBeMore = count === limit;
      failures = 0;
      refusals.inARow = 0;
      limit = Math.min(limit * 2, batchMax);
      // An in-process database never yields, and a consumer may be years behind.
      await yieldToEventLoop();
      // Later events gather. Those of this instance have called `wake`.
      if (mayBeMore) continue;
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

/** Parks a single event that failed as often as allowed, so that it delays no other. */
async function deliverBatch(
  consumer: Consumer,
  options: DeliveryOptions,
  { limit, refusals }: { readonly limit: number; readonly refusals: { inARow: number } },
): Promise<number> {
  const { outbox, parked, attemptsMax = 3, now, random = Math.random, onError } = options;
  const { name, types } = consumer;
  const events = await outbox.pending(name, limit, types);
  const [first] = events;
  if (!first) return 0;
  const passing = parked ? await parkFollowers(parked, consumer, events, now) : events;
  try {
    if (passing.length > 0) await consumer.handle(passing);
  } catch (error) {
    // An outage of the database says nothing about the event.
    if (isDatabaseError(error)) throw error;
    refusals.inARow += 1;
    if (!parked || events.length > 1 || refusals.inARow < attemptsMax) throw error;
    await parkEvent(parked, consumer, { event: first, error, now, random });
    onError({ consumer: name, error, attempt: refusals.inARow, retryAt: now(), parked: first });
  }
  const ids = events.map((event) => event.id);
  await outbox.delivered(name, ids, types);
  return events.length;
}

function isDatabaseError(error: unknown): boolean {
  return errorCodeOf(error)?.startsWith("database-") ?? false;
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
