import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { auditConsumer } from "./audit-log.ts";
import type { Consumer, DeliveryFailure, DeliveryOptions } from "./delivery.ts";
import { openDelivery } from "./delivery.ts";
import type { NewEvent } from "./event.ts";
import { createMemoryAuditLog, createMemoryOutbox } from "./testing/index.ts";

const now = () => new Date("2026-01-01T00:00:00Z");
const happened = (name: string): NewEvent => ({
  type: "package.published",
  subject: name,
  caller: { actor: "ci" },
});

/** A consumer that notes what it was given; `fail` may throw first. */
function noting(name: string, fail: (subjects: readonly string[]) => void = () => undefined) {
  const batches: (readonly string[])[] = [];
  const consumer: Consumer = {
    name,
    async handle(events) {
      const subjects = events.map((event) => event.subject);
      fail(subjects);
      batches.push(subjects);
    },
  };
  return { consumer, batches };
}

function setUp(consumers: readonly Consumer[], options: Partial<DeliveryOptions> = {}) {
  const { outbox, record } = createMemoryOutbox(now);
  const failures: DeliveryFailure[] = [];
  const open = () =>
    openDelivery({
      outbox,
      consumers,
      pollMs: 60_000,
      now,
      onError: (failure) => failures.push(failure),
      ...options,
    });
  return { outbox, record, failures, open };
}

test("delivers events from before the start and after a wake", async () => {
  const { consumer, batches } = noting("one");
  const { record, open } = setUp([consumer]);
  await record([happened("early")]);
  await using delivery = open();
  await vi.waitFor(() => expect(batches).toEqual([["early"]]));
  await record([happened("late"), happened("later")]);
  delivery.wake();
  await vi.waitFor(() => expect(batches).toEqual([["early"], ["late", "later"]]));
});

test("finds events without a wake, because another instance may have written them", async () => {
  const { consumer, batches } = noting("one");
  const { record, open } = setUp([consumer], { pollMs: 5 });
  await using running = new AsyncDisposableStack();
  running.use(open());
  await sleep(10);
  await record([happened("foreign")]);
  await vi.waitFor(() => expect(batches).toEqual([["foreign"]]));
});

test("misses no event that commits during a query", async () => {
  const { consumer, batches } = noting("one");
  const { outbox, record } = createMemoryOutbox(now);
  let looks = 0;
  await using delivery = openDelivery({
    outbox: {
      ...outbox,
      async pending(name, limit) {
        const events = await outbox.pending(name, limit);
        looks += 1;
        if (looks === 1) {
          await record([happened("between")]);
          delivery.wake();
        }
        return events;
      },
    },
    consumers: [consumer],
    pollMs: 60_000,
    now,
    onError: () => undefined,
  });
  await vi.waitFor(() => expect(batches).toEqual([["between"]]));
});

test("combines events shortly after a wake into one batch", async () => {
  const { consumer, batches } = noting("one");
  const { record, open } = setUp([consumer], { gatherMs: 50 });
  await using delivery = open();
  for (const name of ["1", "2", "3"]) {
    await record([happened(name)]);
    delivery.wake();
    await sleep(1);
  }
  await vi.waitFor(() => expect(batches.flat()).toEqual(["1", "2", "3"]));
  // The first query may find nothing, or only the first event.
  expect(batches.length).toBeLessThan(3);
});

test("combines events that come while a batch is handled", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { outbox, record } = createMemoryOutbox(now);
    const { consumer, batches } = noting("one");
    await record([happened("1")]);
    const delivery = openDelivery({
      outbox,
      consumers: [
        {
          ...consumer,
          async handle(events) {
            await consumer.handle(events);
            if (batches.length > 1) return;
            await record([happened("2")]);
            delivery.wake();
          },
        },
      ],
      pollMs: 60_000,
      gatherMs: 100,
      now,
      onError: () => undefined,
    });
    // The timer of the gathering.
    await vi.waitUntil(() => vi.getTimerCount() === 2);
    await record([happened("3")]);
    vi.advanceTimersByTime(100);
    await vi.waitFor(() => expect(batches).toEqual([["1"], ["2", "3"]]));
    await delivery[Symbol.asyncDispose]();
  } finally {
    vi.useRealTimers();
  }
});

test("splits many events into batches, in order", async () => {
  const { consumer, batches } = noting("one");
  const { record, open } = setUp([consumer], { batchMax: 2 });
  await record(["1", "2", "3", "4", "5"].map(happened));
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(() => expect(batches).toEqual([["1", "2"], ["3", "4"], ["5"]]));
});

test("one consumer's failure does not delay the others", async () => {
  const good = noting("good");
  const bad = noting("bad", () => {
    throw new Error("receiver is down");
  });
  const { record, failures, open } = setUp([bad.consumer, good.consumer], { retryMs: 60_000 });
  await record([happened("1")]);
  await using delivery = open();
  await vi.waitFor(() => expect(good.batches).toEqual([["1"]]));
  await record([happened("2")]);
  delivery.wake();
  await vi.waitFor(() => expect(good.batches).toEqual([["1"], ["2"]]));
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatchObject({ consumer: "bad", attempt: 1 });
});

test("retries with increasing delays until success", async () => {
  let left = 4;
  const { consumer, batches } = noting("one", () => {
    left -= 1;
    if (left >= 0) throw new Error("not yet");
  });
  const { record, failures, open } = setUp([consumer], { retryMs: 2, retryMaxMs: 7 });
  await record([happened("1"), happened("2")]);
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(() => expect(batches.flat()).toEqual(["1", "2"]));
  const waits = failures.map((failure) => failure.retryAt.getTime() - now().getTime());
  expect(waits).toEqual([2, 4, 7, 7]);
  expect(failures.map((failure) => failure.attempt)).toEqual([1, 2, 3, 4]);
});

test("a wake does not shorten the delay after a failure", async () => {
  const { consumer } = noting("one", () => {
    throw new Error("receiver is down");
  });
  const { record, failures, open } = setUp([consumer], { retryMs: 60_000 });
  await record([happened("1")]);
  await using delivery = open();
  await vi.waitFor(() => expect(failures).toHaveLength(1));
  delivery.wake();
  await sleep(20);
  expect(failures).toHaveLength(1);
});

test("delivers the events before one that always fails", async () => {
  const { consumer, batches } = noting("one", (subjects) => {
    if (subjects.includes("bad")) throw new Error("cannot handle that");
  });
  const { record, failures, open } = setUp([consumer], { retryMs: 1, retryMaxMs: 1 });
  await record(["1", "2", "bad", "3"].map(happened));
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(4));
  expect(batches.flat()).toEqual(["1", "2"]);
});

test("retries reading the outbox after an error", async () => {
  const { consumer, batches } = noting("one");
  const { outbox, record, failures, open } = setUp([consumer], { retryMs: 1 });
  vi.spyOn(outbox, "pending").mockRejectedValueOnce(new Error("database is away"));
  await record([happened("1")]);
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(() => expect(batches).toEqual([["1"]]));
  expect(failures).toHaveLength(1);
});

test("repeats a batch when marking it as delivered fails", async () => {
  const { consumer, batches } = noting("one");
  const { outbox, record, open } = setUp([consumer], { retryMs: 1 });
  vi.spyOn(outbox, "delivered").mockRejectedValueOnce(new Error("database is away"));
  await record([happened("1")]);
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(() => expect(batches).toEqual([["1"], ["1"]]));
});

test("disposal finishes the current batch and starts no other", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const handled: string[] = [];
  const slow: Consumer = {
    name: "slow",
    async handle(events) {
      await released;
      handled.push(...events.map((event) => event.subject));
    },
  };
  const { outbox, record, open } = setUp([slow], { batchMax: 1 });
  await record([happened("1"), happened("2")]);
  const delivery = open();
  await sleep(1);
  const closed = delivery[Symbol.asyncDispose]();
  release();
  await closed;
  expect(handled).toEqual(["1"]);
  const left = await outbox.pending("slow", 10);
  expect(left.map((event) => event.subject)).toEqual(["2"]);
});

test("disposal interrupts a long delay", async () => {
  const { consumer } = noting("one", () => {
    throw new Error("down");
  });
  const { record, failures, open } = setUp([consumer], { retryMs: 60_000 });
  await record([happened("1")]);
  const delivery = open();
  await vi.waitFor(() => expect(failures).toHaveLength(1));
  await delivery[Symbol.asyncDispose]();
  expect(failures).toHaveLength(1);
});

test("refuses two consumers with one name", () => {
  const { open } = setUp([noting("same").consumer, noting("same").consumer]);
  expect(open).toThrow(/unique names: same, same/);
});

test("repeated deliveries write an event once into the audit log", async () => {
  const log = createMemoryAuditLog();
  const { outbox, record, open } = setUp([auditConsumer(log)], { retryMs: 1 });
  vi.spyOn(outbox, "delivered").mockRejectedValueOnce(new Error("killed in between"));
  const append = vi.spyOn(log, "append");
  await record([happened("1"), happened("2")]);
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(async () => expect(await outbox.pending("audit", 10)).toEqual([]));
  expect(append.mock.calls.length).toBeGreaterThan(1);
  expect(
    (await log.read({ order: "newest-first", limit: 10 })).records.map((event) => event.subject),
  ).toEqual(["2", "1"]);
});

test("deletes delivered events at intervals, even after a failure", async () => {
  const { consumer, batches } = noting("one");
  const { outbox, record, failures, open } = setUp([consumer], { trimEveryMs: 2 });
  vi.spyOn(outbox, "trim").mockRejectedValueOnce(new Error("database is away"));
  await record([happened("1")]);
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(() => expect(batches).toEqual([["1"]]));
  await vi.waitFor(async () => expect(await outbox.pending("another", 10)).toEqual([]));
  expect(failures).toMatchObject([{ consumer: "outbox", attempt: 1 }]);
});
