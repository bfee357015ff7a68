import assert from "node:assert/strict";
import type { ObjectStore } from "../object-store.ts";
import { parseObjectKey } from "../object-store.ts";
import { bytes, get, keysIn, noise, put, sha256Of, textOf } from "./bodies.ts";
import type { Fault, FaultProxy, ProxiedRequest } from "./fault-proxy.ts";

/** A store whose requests pass a proxy. */
export type FaultyStore = {
  /**
   * With limits of `FAULT_LIMITS` for each call, so that a hanging service does not hold up the
   * tests.
   */
  readonly store: ObjectStore;
  readonly proxy: FaultProxy;
};

/** The limits that the store of a fault case must be opened with. */
export const FAULT_LIMITS = {
  timeoutMs: 400,
  uploadTimeoutMs: 20_000,
  idleMs: 400,
  attempts: 3,
  firstPauseMs: 1,
} as const;

export type FaultCase = {
  readonly name: string;
  readonly run: (faulty: FaultyStore) => Promise<void>;
};

const KEY = parseObjectKey("a/b");
const LARGE_BYTES = 20 * 1024 * 1024 + 5;
const MIB = 1024 * 1024;
const UNAVAILABLE = { name: "StorageError", code: "storage-unavailable" };

const answering: readonly FaultCase[] = [503, 500, 429, 408].flatMap((status): FaultCase[] => [
  {
    name: `gives up after three answers of ${status}`,
    async run({ store, proxy }) {
      await put(store, KEY, "before");
      for (const call of callsOf(store)) {
        const first = proxy.requests.length;
        proxy.faultOf = () => ({ type: "answer", status });
        await assert.rejects(call, UNAVAILABLE);
        assert.equal(proxy.requests.length - first, FAULT_LIMITS.attempts);
      }
      proxy.faultOf = () => undefined;
      assert.equal(await get(store, KEY), "before");
    },
  },
  {
    name: `succeeds after one answer of ${status}`,
    async run({ store, proxy }) {
      await put(store, KEY, "before");
      for (const call of callsOf(store)) {
        proxy.faultOf = once({ type: "answer", status, headers: { "retry-after": "0" } });
        await call();
      }
    },
  },
]);

const hanging: readonly FaultCase[] = [
  {
    name: "reports a service that never answers as unavailable",
    async run({ store, proxy }) {
      await put(store, KEY, "before");
      proxy.faultOf = () => ({ type: "silence" });
      await assert.rejects(store.stat(KEY), UNAVAILABLE);
      await assert.rejects(keysIn(store), UNAVAILABLE);
      await assert.rejects(textOf(store.bytes(KEY)), UNAVAILABLE);
    },
  },
  {
    name: "stops waiting when the caller's signal aborts",
    async run({ store, proxy }) {
      const stop = new AbortController();
      proxy.faultOf = () => {
        setImmediate(() => stop.abort(new Error("shutting down")));
        return { type: "silence" };
      };
      const options = { existing: "replace", signal: stop.signal } as const;
      await assert.rejects(store.write(KEY, bytes("x"), options), /shutting down/);
    },
  },
  {
    name: "reports a service that closes every connection as unavailable",
    async run({ store, proxy }) {
      await put(store, KEY, "before");
      proxy.faultOf = () => ({ type: "reset" });
      for (const call of callsOf(store)) await assert.rejects(call, UNAVAILABLE);
    },
  },
  {
    name: "aborts running calls when it is closed",
    async run({ store, proxy }) {
      const { promise: received, resolve } = Promise.withResolvers<void>();
      proxy.faultOf = () => {
        resolve();
        return { type: "silence" };
      };
      const pending = assert.rejects(
        store.write(KEY, bytes("x"), { existing: "replace" }),
        UNAVAILABLE,
      );
      await received;
      await store[Symbol.asyncDispose]();
      await pending;
      await assert.rejects(store.stat(KEY), UNAVAILABLE);
    },
  },
];

const writing: readonly FaultCase[] = [
  {
    name: "sends what was lost in the middle of an upload again",
    async run({ store, proxy }) {
      let isCut = false;
      proxy.faultOf = ({ method }) => {
        if (isCut || method !== "PUT") return undefined;
        isCut = true;
        return { type: "cut-request", afterBytes: 3 * MIB };
      };
      await store.write(KEY, noise(LARGE_BYTES), { existing: "replace" });
      assert.ok(isCut);
      assert.equal(await sha256Of(store.bytes(KEY)), await sha256Of(noise(LARGE_BYTES)));
    },
  },
  {
    name: "completes an upload whose answers are lost, each once",
    async run({ store, proxy }) {
      proxy.faultOf = onceEach({ type: "lost-answer" });
      await store.write(KEY, noise(LARGE_BYTES), { existing: "replace" });
      proxy.faultOf = () => undefined;
      assert.equal(await sha256Of(store.bytes(KEY)), await sha256Of(noise(LARGE_BYTES)));
      assert.deepEqual(await keysIn(store), [KEY]);
    },
  },
  {
    name: "leaves nothing of an upload whose connection is lost each time",
    async run({ store, proxy }) {
      proxy.faultOf = ({ method }) =>
        method === "PUT" ? { type: "cut-request", afterBytes: MIB } : undefined;
      const failing = store.write(KEY, noise(LARGE_BYTES), { existing: "replace" });
      await assert.rejects(failing, UNAVAILABLE);
      proxy.faultOf = () => undefined;
      assert.deepEqual(await keysIn(store), []);
      await removeUnfinished(store);
      assert.deepEqual(await Array.fromAsync(store.unfinished?.list() ?? []), []);
    },
  },
  {
    name: "recognizes its own object when the answer to a keep-write is lost",
    async run({ store, proxy }) {
      proxy.faultOf = onceEach({ type: "lost-answer" });
      const outcome = await store.write(KEY, bytes("mine"), { existing: "keep" });
      assert.deepEqual(outcome, { status: "written", size: 4 });
      proxy.faultOf = onceEach({ type: "lost-answer" });
      assert.deepEqual(await store.write(KEY, bytes("late"), { existing: "keep" }), {
        status: "exists",
      });
      assert.equal(await get(store, KEY), "mine");
    },
  },
  {
    name: "deletes and moves when the answers are lost once",
    async run({ store, proxy }) {
      await put(store, KEY, "x");
      proxy.faultOf = onceEach({ type: "lost-answer" });
      await store.move(KEY, parseObjectKey("to"));
      proxy.faultOf = onceEach({ type: "lost-answer" });
      await store.delete(parseObjectKey("to"));
      assert.deepEqual(await keysIn(store), []);
    },
  },
];

const reading: readonly FaultCase[] = [
  {
    name: "continues a download that loses its connection",
    async run({ store, proxy }) {
      await store.write(KEY, noise(LARGE_BYTES), { existing: "replace" });
      let cuts = 0;
      proxy.faultOf = () => (cuts++ < 3 ? { type: "cut-answer", afterBytes: 3 * MIB } : undefined);
      assert.equal(await sha256Of(store.bytes(KEY)), await sha256Of(noise(LARGE_BYTES)));
      assert.equal(cuts, 4);
      cuts = 0;
      const range = { start: 1_000_000, end: 15_000_000 };
      const whole = Buffer.concat(await Array.fromAsync(noise(LARGE_BYTES)));
      const part = Buffer.concat(await Array.fromAsync(store.bytes(KEY, range)));
      assert.ok(part.equals(whole.subarray(range.start, range.end + 1)));
    },
  },
  {
    name: "continues a download that stalls",
    async run({ store, proxy }) {
      await store.write(KEY, noise(LARGE_BYTES), { existing: "replace" });
      proxy.faultOf = once({ type: "stall-answer", afterBytes: MIB });
      assert.equal(await sha256Of(store.bytes(KEY)), await sha256Of(noise(LARGE_BYTES)));
    },
  },
  {
    name: "gives up a download that loses its connection again and again",
    async run({ store, proxy }) {
      await store.write(KEY, noise(LARGE_BYTES), { existing: "replace" });
      proxy.faultOf = () => ({ type: "cut-answer", afterBytes: 1000 });
      await assert.rejects(textOf(store.bytes(KEY)), UNAVAILABLE);
    },
  },
  {
    name: "never mixes two versions in one download",
    async run({ store, proxy }) {
      await store.write(KEY, noise(LARGE_BYTES, 1), { existing: "replace" });
      proxy.faultOf = once({ type: "cut-answer", afterBytes: MIB });
      const body = store.bytes(KEY)[Symbol.asyncIterator]();
      await body.next();
      await store.write(KEY, noise(LARGE_BYTES, 2), { existing: "replace" });
      await assert.rejects(async () => {
        while (!(await body.next()).done);
      }, /StorageError/);
    },
  },
];

/** Behaviour of a driver whose service fails, for any test runner. */
export const objectStoreFaults: readonly FaultCase[] = [
  ...answering,
  ...hanging,
  ...writing,
  ...reading,
];

/** One of each kind of call; none changes what `KEY` contains. */
function callsOf(store: ObjectStore): readonly (() => Promise<unknown>)[] {
  return [
    () => store.stat(KEY),
    () => textOf(store.bytes(KEY)),
    () => store.write(parseObjectKey("other"), bytes("x"), { existing: "replace" }),
    () => keysIn(store),
    () => store.delete(parseObjectKey("other")),
  ];
}

function once(fault: Fault): (request: ProxiedRequest) => Fault | undefined {
  let isOver = false;
  return () => {
    if (isOver) return undefined;
    isOver = true;
    return fault;
  };
}

/** The fault for the first request of each method. */
function onceEach(fault: Fault): (request: ProxiedRequest) => Fault | undefined {
  const seen = new Set<string>();
  return ({ method }) => {
    if (seen.has(method)) return undefined;
    seen.add(method);
    return fault;
  };
}

async function removeUnfinished({ unfinished }: ObjectStore): Promise<void> {
  if (!unfinished) return;
  for await (const { name } of unfinished.list()) await unfinished.delete(name);
}
