import { expect, test, vi } from "vitest";
import { nextAttempt } from "./backoff.ts";
import type { Consumer, DeliveryFailure } from "./delivery.ts";
import { openDelivery } from "./delivery.ts";
import type { NewEvent, RegistryEvent } from "./event.ts";
import { createMemoryOutbox, createMemoryParked } from "./testing/index.ts";

const happened = (subject: string, detail?: NewEvent["detail"]): NewEvent => ({
  type: "package.published",
  subject,
  caller: { actor: "ci" },
  ...(detail && { detail }),
});
const nameOf = ({ subject }: RegistryEvent) => subject.split("@")[0] ?? "";

/** A delivery to a consumer that cannot take the subjects in `bad`. */
function openParts(orderOf?: Consumer["orderOf"], errorCode?: string) {
  const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
  const now = () => new Date(clock.ms);
  const { outbox, record } = createMemoryOutbox(now);
  const parked = createMemoryParked(now);
  const bad = new Set<string>();
  const taken: string[] = [];
  const failures: DeliveryFailure[] = [];
  const consumer: Consumer = {
    name: "one",
    ...(orderOf && { orderOf }),
    async handle(events) {
      const subjects = events.map(({ subject }) => subject);
      if (subjects.some((subject) => bad.has(subject))) {
        throw Object.assign(new Error("cannot take that"), { code: errorCode });
      }
      taken.push(...subjects);
    },
  };
  const open = () =>
    openDelivery({
      outbox,
      parked,
      consumers: [consumer],
      pollMs: 2,
      retryMs: 1,
      retryMaxMs: 1,
      random: () => 0.5,
      now,
      onError: (failure) => failures.push(failure),
    });
  return { clock, outbox, record, parked, bad, taken, failures, open };
}

test("failures of the database do not count as refusals of an event", async () => {
  const { outbox, record, parked, bad, failures, open } = openParts();
  bad.add("bad");
  await record([happened("bad")]);
  const outage = vi.spyOn(outbox, "pending");
  for (let times = 0; times < 5; times += 1) {
    outage.mockRejectedValueOnce(new Error("the database is unavailable"));
  }
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(async () => expect((await parked.count()).waiting).toBe(1));
  const refusals = failures.filter(({ error }) => String(error).includes("cannot take that"));
  expect(refusals.length).toBeGreaterThanOrEqual(3);
  expect(refusals[2]?.parked?.subject).toBe("bad");
  expect(refusals.slice(0, 2).some(({ parked: event }) => event)).toBe(false);
});

test("a consumer that cannot reach the database refuses no event", async () => {
  const { record, parked, bad, taken, failures, open } = openParts(
    undefined,
    "database-unreachable",
  );
  bad.add("bad");
  await record([happened("bad")]);
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(5));
  expect(await parked.count()).toEqual({ waiting: 0, dead: 0 });
  bad.clear();
  await vi.waitFor(() => expect(taken).toEqual(["bad"]));
});

test("an event that a consumer cannot take delays no other, and is tried again later", async () => {
  const { clock, record, parked, bad, taken, failures, open } = openParts();
  bad.add("bad");
  await record(["1", "bad", "2"].map((name) => happened(name)));
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(() => expect(taken).toEqual(["1", "2"]));
  expect(await parked.count()).toEqual({ waiting: 1, dead: 0 });
  expect(failures.at(-1)?.parked?.subject).toBe("bad");
  bad.clear();
  clock.ms += 5_000;
  await vi.waitFor(() => expect(taken).toEqual(["1", "2", "bad"]));
  expect(await parked.count()).toEqual({ waiting: 0, dead: 0 });
});

test("an event is dead after the attempts of a day, and a replay delivers it", async () => {
  const { clock, record, parked, bad, taken, open } = openParts();
  bad.add("bad");
  await record([happened("bad")]);
  await using running = new AsyncDisposableStack();
  running.use(open());
  const begin = clock.ms;
  await vi.waitFor(
    async () => {
      clock.ms += 30 * 60_000;
      expect(await parked.count()).toEqual({ waiting: 0, dead: 1 });
    },
    { timeout: 10_000, interval: 5 },
  );
  expect(clock.ms - begin).toBeGreaterThan(20 * 60 * 60_000);
  bad.clear();
  const [dead] = await parked.list({ dead: true, limit: 10 });
  expect(await parked.replay(dead?.id ?? "")).toBe("replayed");
  await vi.waitFor(() => expect(taken).toEqual(["bad"]));
});

test("a consumer that needs an order gets the events of a name in order", async () => {
  const { clock, record, bad, taken, parked, open } = openParts(nameOf);
  bad.add("acme@1");
  await record(["acme@1", "acme@2", "other@1", "acme@3"].map((name) => happened(name)));
  await using running = new AsyncDisposableStack();
  running.use(open());
  await vi.waitFor(() => expect(taken).toEqual(["other@1"]));
  await vi.waitFor(async () => expect((await parked.count()).waiting).toBe(3));
  bad.clear();
  clock.ms += 5_000;
  await vi.waitFor(() => expect(taken).toEqual(["other@1", "acme@1", "acme@2", "acme@3"]));
});

test("a consumer reads only the types that it names", async () => {
  const { outbox, record } = createMemoryOutbox();
  const taken: string[] = [];
  await record([happened("1"), { ...happened("2"), type: "token.created" }]);
  await using running = new AsyncDisposableStack();
  running.use(
    openDelivery({
      outbox,
      consumers: [
        {
          name: "mail",
          types: ["token.created"],
          handle: async (events) => void taken.push(...events.map(({ subject }) => subject)),
        },
      ],
      pollMs: 2,
      trimEveryMs: 2,
      now: () => new Date(),
      onError: () => undefined,
    }),
  );
  await vi.waitFor(async () => expect(await outbox.pending("another", 10)).toEqual([]));
  expect(taken).toEqual(["2"]);
});

test.each([
  { attempts: 1, retryAfterMs: undefined, waitMs: 5_000 },
  { attempts: 2, retryAfterMs: undefined, waitMs: 30_000 },
  { attempts: 2, retryAfterMs: 56_000, waitMs: 56_000 },
  { attempts: 2, retryAfterMs: 1_000, waitMs: 30_000 },
  { attempts: 10, retryAfterMs: undefined, waitMs: 8 * 60 * 60_000 },
  { attempts: 11, retryAfterMs: undefined, waitMs: undefined },
  { attempts: 11, retryAfterMs: 1_000, waitMs: undefined },
  { attempts: 1, retryAfterMs: 1e12, waitMs: 24 * 60 * 60_000 },
])("attempt $attempts with Retry-After $retryAfterMs waits $waitMs ms", (one) => {
  const now = new Date(0);
  const next = nextAttempt({ ...one, now, random: () => 0.5 });
  expect(next?.getTime()).toBe(one.waitMs);
});
