import { CallError } from "@sealhouse/http-responses/outgoing";
import { LostLeaseError } from "@sealhouse/jobs";
import { expect, test, vi } from "vitest";
import { testSource } from "../../testing/memory-parts.ts";
import { countAbsentNames, countedFetch } from "../count-absent-names.ts";
import { rememberClients } from "../known-clients.ts";
import { createNameMemory } from "../name-memory.ts";
import { hasRetryAfter, TooManyAbsentError } from "./absent-calls.ts";
import { laneOf } from "./lanes.ts";
import { createOwnCalls } from "./own-calls.ts";
import { withinMs } from "./patience.ts";
import { createBreaker, createPause, createSourceCalls, wordsOf } from "./source-calls.ts";
import { sourceFetch } from "./source-fetch.ts";
import {
  isUpstreamUnavailable,
  unavailableAfter,
  UpstreamUnavailableError,
  withoutLease,
} from "./upstream-error.ts";

const url = new URL("https://registry.example/");
const source = testSource("npm", url);
const error = (code: CallError["code"], fields: { status?: number; retryAfterMs?: number } = {}) =>
  new CallError(code, { url, reason: "no", ...fields });

test.each<[CallError["code"], number | undefined, RegExp]>([
  ["unauthorized", 401, /refuses the registry's credentials/],
  ["malformed", undefined, /not the requested document/],
  ["mismatch", undefined, /do not have the requested digest/],
  ["integrity", undefined, /another hash than its document has/],
  ["too-large", undefined, /a document that is too large/],
  ["refused-address", undefined, /an address that must not be called/],
  ["unreachable", undefined, /cannot be reached/],
  ["unreachable", 503, /answered with status 503/],
  ["status", 418, /answered with status 418/],
] as never)("the reason for %s %s has no address", (code, status, expected) => {
  const words = wordsOf(error(code, status === undefined ? {} : { status }));
  expect(words).toMatch(expected);
  expect(words).not.toContain("registry.example");
});

test("a breaker opens after five failures within 30 seconds, and longer each time", () => {
  let ms = 0;
  const breaker = createBreaker(() => ms);
  for (let count = 0; count < 4; count += 1) breaker.failed();
  expect(breaker.openForMs()).toBe(0);
  breaker.failed();
  const pauses = [];
  for (let count = 0; count < 7; count += 1) {
    const open = breaker.openForMs();
    pauses.push(open / 1000);
    ms += open;
    expect(breaker.openForMs()).toBe(0);
    // One call is allowed, and fails.
    breaker.failed();
  }
  expect(pauses).toEqual([10, 20, 40, 80, 160, 300, 300]);
  ms += breaker.openForMs();
  breaker.succeeded();
  breaker.failed();
  expect(breaker.openForMs()).toBe(0);
});

test("failures that are far apart do not open a breaker", () => {
  let ms = 0;
  const breaker = createBreaker(() => ms);
  for (let count = 0; count < 20; count += 1) {
    breaker.failed();
    ms += 8_000;
  }
  expect(breaker.openForMs()).toBe(0);
});

test("a pause that a source asks for ends after five minutes at the latest", () => {
  let ms = 0;
  const pause = createPause(() => new Date(ms));
  expect(pause.leftMs()).toBe(0);
  pause.begin(1_000);
  expect(pause.leftMs()).toBe(1_000);
  pause.begin(24 * 60 * 60_000);
  expect(pause.leftMs()).toBe(5 * 60_000);
  ms = 5 * 60_000;
  expect(pause.leftMs()).toBe(0);
});

test.each([
  ["an outage", () => error("unreachable", { status: 503 }), true],
  ["a refusal", () => error("unauthorized", { status: 403 }), false],
  ["another document", () => error("malformed"), false],
])("%s opens the breaker: %s", async (_, failure, opens) => {
  const reported: unknown[] = [];
  const calls = createSourceCalls({
    now: () => new Date(0),
    onFailure: (one) => reported.push(one.source),
  });
  const { signal } = new AbortController();
  const run = () => calls.run(source, signal, () => Promise.reject(failure()));
  for (let count = 0; count < 5; count += 1) {
    await expect(run()).rejects.toThrow(UpstreamUnavailableError);
  }
  expect(reported).toHaveLength(5);
  const state = calls.states().get("upstream");
  expect(state).toMatchObject({ calls: 5, failedCalls: 5, lastErrorAt: new Date(0) });
  expect(state?.pausedForMs).toBe(opens ? 10_000 : 0);
});

test("an error of this registry is not one of the source", async () => {
  const calls = createSourceCalls({ now: () => new Date(0), onFailure: () => undefined });
  const { signal } = new AbortController();
  const run = () => calls.run(source, signal, () => Promise.reject(new TypeError("a fault")));
  await expect(run()).rejects.toThrow(TypeError);
  expect(calls.states().get("upstream")).toMatchObject({ failedCalls: 0 });
});

test("no more calls than its limit run at a source at once", async () => {
  const calls = createSourceCalls({ now: () => new Date(0), onFailure: () => undefined });
  const limited = testSource("npm", url, { settings: { maxConnections: 2 } });
  let running = 0;
  let most = 0;
  const call = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 10 }, () => calls.run(limited, signal, call)));
  expect(most).toBe(2);
});

test("the error of a source states its name and a time to wait, not its address", () => {
  const failure = unavailableAfter("hub", "fails", error("unreachable", { retryAfterMs: 2_500 }));
  expect(failure).toMatchObject({ retryAfterSeconds: 3, source: "hub" });
  expect(failure.message).toBe('The package source "hub" fails. Try again later.');
  expect(unavailableAfter("hub", "fails", error("malformed")).retryAfterSeconds).toBe(10);
  expect(isUpstreamUnavailable(failure)).toBe(true);
  expect(isUpstreamUnavailable(new Error("other"))).toBe(false);
  expect([failure, new TooManyAbsentError(7), new Error("x")].map(hasRetryAfter)).toEqual([
    true,
    true,
    false,
  ]);
});

test("a lost lease means an unavailable source", () => {
  const other = new Error("other");
  expect(withoutLease(other, "hub")).toBe(other);
  expect(withoutLease(new LostLeaseError("lane"), "hub")).toMatchObject({
    code: "upstream-unavailable",
    message: expect.stringContaining("before this registry lost its database"),
  });
});

test("calls to a private network go only to the origins of such a source", async () => {
  const opened: string[] = [];
  const at = (allowPrivateNetwork: boolean) =>
    sourceFetch(
      testSource("npm", new URL("http://10.0.0.1/"), {
        settings: { allowPrivateNetwork, credentialOrigins: ["http://10.0.0.2"] },
      }),
      ({ allowPrivate }) =>
        async ({ host }) => {
          opened.push(`${host} ${allowPrivate}`);
          return new Response();
        },
    );
  for (const allowed of [true, false]) {
    for (const host of ["10.0.0.1", "10.0.0.2", "10.0.0.3"]) {
      await at(allowed)(new URL(`http://${host}/x`), {});
    }
  }
  expect(opened).toEqual([
    "10.0.0.1 true",
    "10.0.0.2 true",
    "10.0.0.3 false",
    "10.0.0.1 false",
    "10.0.0.2 false",
    "10.0.0.3 false",
  ]);
});

test("a changed source gets another client", () => {
  const opened = vi.fn(({ name }: typeof source) => ({ name }));
  const clientOf = rememberClients(opened);
  const again = () => testSource("npm", url);
  expect(clientOf(again())).toBe(clientOf(again()));
  const changes = [
    testSource("npm", url, { name: "other" }),
    testSource("npm", new URL("https://other.example/")),
    testSource("npm", url, { credentials: { type: "bearer", token: "a" } }),
    testSource("npm", url, { credentials: { type: "bearer", token: "b" } }),
    testSource("npm", url, { settings: { maxConnections: 1 } }),
  ];
  for (const changed of changes) clientOf(changed);
  expect(opened).toHaveBeenCalledTimes(1 + changes.length);
});

test("work that takes too long is not waited for", async () => {
  expect(await withinMs(Promise.resolve(7), 1_000)).toBe(7);
  expect(await withinMs(new Promise<number>(() => undefined), 5)).toBeUndefined();
});

test("leases are one of a limited number of lanes", () => {
  const lanes = new Set(
    Array.from({ length: 5_000 }, (_, index) => laneOf("upstream-document", `key-${index}`)),
  );
  expect(lanes.size).toBeGreaterThan(3_000);
  expect([...lanes].every((lane) => /^upstream-document\/\d{1,5}$/.test(lane))).toBe(true);
  expect(laneOf("upstream-document", "a")).toBe(laneOf("upstream-document", "a"));
  expect(laneOf("upstream-artifact", "a")).not.toBe(laneOf("upstream-document", "a"));
});

test("states of names end at their time, and are learnt only from requests of everyone", () => {
  let ms = 0;
  let isForEveryone = true;
  const ownCalls = { isForEveryone: () => isForEveryone, readsShared: () => isForEveryone };
  const memory = createNameMemory<string>(() => ms, { ownCalls });
  memory.set("a", { until: 10, state: "one" });
  expect([memory.get("a"), memory.get("b"), memory.last("a")]).toEqual(["one", undefined, "one"]);
  isForEveryone = false;
  memory.set("a", { until: 99, state: "two" });
  expect(memory.get("a")).toBeUndefined();
  isForEveryone = true;
  expect(memory.get("a")).toBe("one");
  ms = 10;
  expect([memory.get("a"), memory.last("a")]).toEqual([undefined, "one"]);
});

test("absent names count for the network of a caller without a token", async () => {
  const decisions: { tokenId?: string } = {};
  const counts: ((cost: 0 | 1) => number | undefined)[] = [];
  const answerCounted = <T>(count: (cost: 0 | 1) => number | undefined, work: () => T): T => {
    counts.push(count);
    return work();
  };
  const options = { absentNamesPerNetwork: 2, now: () => new Date(0) };
  const counted = countAbsentNames({ answerCounted }, options);
  const callers = { of: () => ({ address: "192.0.2.1", decisions }) };
  const fetch = countedFetch((request) => request.url, counted, callers);
  expect(fetch(new Request("https://x.example/"))).toBe("https://x.example/");
  const [count = expect.unreachable()] = counts;
  expect([count(1), count(1)]).toEqual([undefined, undefined]);
  expect(count(0)).toBeGreaterThan(0);
  decisions.tokenId = "t1";
  expect(count(1)).toBeUndefined();
  counted({ address: "198.51.100.1", decisions: {} }, () => undefined);
  expect(counts.at(-1)?.(0)).toBeUndefined();
});

const via = (calls: ReturnType<typeof createOwnCalls>) => {
  let sent = "";
  const fetch = calls.mark(
    async (_, init) => {
      sent = new Headers(init.headers).get("via") ?? "";
      return new Response();
    },
    () => undefined,
  );
  return async () => {
    await fetch(url, {});
    return sent;
  };
};

test("a call names the registries before it, and this one", async () => {
  const [first, second] = [createOwnCalls("first"), createOwnCalls("second")];
  const own = await via(first)();
  expect(own).toMatch(/^1\.1 sealhouse-[0-9a-f]{16}$/);
  expect(own).not.toContain("first");
  const chained = await second.answer(own, () => via(second)());
  expect(chained).toMatch(new RegExp(`^${own}, 1\\.1 sealhouse-[0-9a-f]{16}$`));
  await first.answer(chained, async () => {
    expect([first.isOwn(), first.isForEveryone(), first.readsShared()]).toEqual([
      true,
      false,
      false,
    ]);
    expect(first.chain()).toHaveLength(2);
    // The questions of a publish do not depend on it.
    expect(first.outside(() => first.isOwn())).toBe(false);
  });
  expect([first.isOwn(), first.isForEveryone(), first.chain()]).toEqual([false, true, []]);
});

test.each([null, undefined, "", "1.1 proxy", "1.0 fred, 1.1 squid"])(
  "a request with Via %j is not one of a registry",
  (header) => {
    expect(createOwnCalls("one").isFromRegistry(header)).toBe(false);
  },
);

test("a way through 16 registries ends", async () => {
  const calls = createOwnCalls("one");
  const chain = Array.from(
    { length: 16 },
    (_, index) => `1.1 sealhouse-${String(index).padStart(16, "0")}`,
  );
  await calls.answer(chain.join(", "), async () => expect(calls.isOwn()).toBe(true));
  await calls.answer(chain.slice(1).join(", "), async () => expect(calls.isOwn()).toBe(false));
});

test("an answer names the registries that it left out, for all who join its work", async () => {
  const calls = createOwnCalls("one");
  const leftOut = `sealhouse-${"a".repeat(16)}`;
  const fetch = calls.mark(
    async () => new Response("", { headers: { "x-sealhouse-left-out": leftOut } }),
    () => undefined,
  );
  const asker = `1.1 sealhouse-${"b".repeat(16)}`;
  await calls.answer(asker, async (headersOf) => {
    const observed = await calls.observe(async () => {
      await fetch(url, {});
      return "answer";
    });
    // The work belongs to another request until this one joins it.
    expect(calls.isForEveryone()).toBe(true);
    expect(calls.join(observed)).toBe("answer");
    expect(calls.isForEveryone()).toBe(false);
    expect(headersOf()).toMatchObject({
      "x-sealhouse-left-out": leftOut,
      "cache-control": "no-store",
    });
  });
  expect(await calls.observe(async () => 1)).toEqual({ result: 1, leftOut: new Set() });
});

test("requests share work only with those of the same way", async () => {
  const calls = createOwnCalls("one");
  const [a, b] = ["a", "b"].map((letter) => `1.1 sealhouse-${letter.repeat(16)}`);
  const audience = (header: string) => calls.answer(header, () => calls.audience());
  expect(calls.audience()).toBe("");
  expect(audience(`${a}, ${b}`)).toBe(audience(`${b}, ${a}`));
  expect(audience(`${a}`)).not.toBe(audience(`${b}`));
  calls.answer(`${a}`, () => {
    expect(calls.readsShared()).toBe(true);
    calls.separate();
    expect(calls.readsShared()).toBe(false);
  });
});
