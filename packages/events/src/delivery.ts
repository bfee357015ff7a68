import { setImmediate as breathe } from "node:timers/promises";
import type { RegistryEvent } from "./event.ts";
import type { Outbox } from "./ports.ts";

/** Somebody who wants to know what happened. */
export type Consumer = {
  /** Its progress is kept under this name: never rename it. */
  readonly name: string;
  /**
   * Takes events in order, each at least once: a crash, a second instance or an error in the middle
   * of a batch brings them again. Rejects to get the batch again later; never hangs for good.
   */
  readonly handle: (events: readonly RegistryEvent[]) => Promise<void>;
};

export type DeliveryFailure = {
  readonly consumer: string;
  readonly error: unknown;
  /** 1 for the first failure in a row. */
  readonly attempt: number;
  readonly retryAt: Date;
};

export type DeliveryOptions = {
  readonly outbox: Outbox;
  readonly consumers: readonly Consumer[];
  /** Looks for events this often even when nobody calls `wake`: other instances write too. */
  readonly pollMs: number;
  /** Waits so long after a wake for more to be written, which then goes in one batch. Default 0. */
  readonly gatherMs?: number;
  readonly now: () => Date;
  /** Told of every failed attempt; must not throw. */
  readonly onError: (failure: DeliveryFailure) => void;
  readonly batchMax?: number;
  /** The wait after the first failure; doubles with each further one up to `retryMaxMs`. */
  readonly retryMs?: number;
  readonly retryMaxMs?: number;
  /** Milliseconds between deletions of delivered events from the outbox. Default 10 minutes. */
  readonly trimEveryMs?: number;
};

export interface Delivery extends AsyncDisposable {
  /** Something was written: look now. Cheap, never throws. */
  wake(): void;
}

/**
 * Delivers the outbox to each consumer, at least once and in order, until it is disposed of.
 * Consumers do not wait for each other; one that fails is retried with growing waits. Disposal
 * lets the batches in hand finish.
 *
 * @throws TypeError when two consumers have the same name
 */
export function openDelivery(options: DeliveryOptions): Delivery {
  const names = options.consumers.map((consumer) => consumer.name);
  if (new Set(names).size < names.length) {
    throw new TypeError(`Consumers of events need names of their own: ${names.join(", ")}.`);
  }
  const stopped = new AbortController();
  const running = options.consumers.map((consumer) => {
    const bell = createBell();
    stopped.signal.addEventListener("abort", () => bell.ring());
    return { bell, done: deliverTo(consumer, options, { bell, stopped: stopped.signal }) };
  });

  const trimming = trimRepeatedly(options, names, stopped.signal);

  return {
    wake() {
      for (const { bell } of running) bell.ring();
    },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await Promise.all([trimming, ...running.map(({ done }) => done)]);
    },
  };
}

/** Every instance does it; what one has deleted is not there for the next. */
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

type Course = { readonly bell: Bell; readonly stopped: AbortSignal };

async function deliverTo(consumer: Consumer, options: DeliveryOptions, course: Course) {
  const { batchMax = 100, gatherMs = 0, retryMs = 1_000, retryMaxMs = 300_000 } = options;
  let limit = batchMax;
  let failures = 0;
  while (!course.stopped.aborted) {
    course.bell.still();
    try {
      const count = await deliverBatch(consumer, options.outbox, limit);
      failures = 0;
      limit = Math.min(limit * 2, batchMax);
      // A database in this process answers at once, and a consumer may have years to catch up with.
      await breathe();
      if (count > 0) continue;
      await course.bell.heard(options.pollMs);
      if (gatherMs > 0) await pause(gatherMs, course.stopped);
    } catch (error) {
      const waitMs = Math.min(retryMs * 2 ** failures, retryMaxMs);
      failures += 1;
      // One at a time until it goes well again: what precedes a bad event must not wait for it.
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

/** A failing consumer waits its time out, however often others ring. */
function pause(waitMs: number, stopped: AbortSignal): Promise<void> {
  const bell = createBell();
  const ring = () => bell.ring();
  stopped.addEventListener("abort", ring, { once: true });
  if (stopped.aborted) bell.ring();
  return bell.heard(waitMs).finally(() => stopped.removeEventListener("abort", ring));
}

type Bell = {
  ring(): void;
  /** Forgets earlier rings. What is written after this is never missed. */
  still(): void;
  /** Resolves at the next ring, at once when it has rung since `still`, or after the time. */
  heard(waitMs: number): Promise<void>;
};

function createBell(): Bell {
  let rung = false;
  let listener: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      listener?.();
    },
    still() {
      rung = false;
    },
    async heard(waitMs) {
      if (rung) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      listener = resolve;
      const timer = setTimeout(resolve, waitMs);
      await promise;
      clearTimeout(timer);
    },
  };
}
