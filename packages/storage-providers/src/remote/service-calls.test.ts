import { expect, test } from "vitest";
import { StorageError } from "../storage-error.ts";
import { createServiceCalls } from "./service-calls.ts";
import type { CallLimits, ServiceErrors } from "./service-calls.ts";

const BUSY = new Error("busy");
const BROKEN = new Error("broken");

function callsWith(limits: CallLimits = {}, errors: Partial<ServiceErrors> = {}) {
  return createServiceCalls(
    {
      isRetryable: (error) => error === BUSY,
      describe: (error, action) => new Error(`cannot ${action}`, { cause: error }),
      ...errors,
    },
    { firstPauseMs: 1, attempts: 3, ...limits },
  );
}

test("a call makes further attempts after errors that may pass", async () => {
  using calls = callsWith();
  const numbers: number[] = [];
  const result = await calls.run({ action: "read" }, async (_signal, number) => {
    numbers.push(number);
    if (number < 3) throw BUSY;
    return "done";
  });
  expect(result).toBe("done");
  expect(numbers).toEqual([1, 2, 3]);
});

test.each([
  [BUSY, 3],
  [BROKEN, 1],
])("%s ends a call after %i attempts with a described error", async (error, expected) => {
  using calls = callsWith();
  let attempts = 0;
  const running = calls.run({ action: "read x" }, async () => {
    attempts += 1;
    throw error;
  });
  await expect(running).rejects.toMatchObject({ message: "cannot read x", cause: error });
  expect(attempts).toBe(expected);
});

test("a call abandons an attempt that never ends, even when it ignores its signal", async () => {
  using calls = callsWith({ timeoutMs: 5, attempts: 2 });
  const signals: AbortSignal[] = [];
  const running = calls.run({ action: "read" }, (signal) => {
    signals.push(signal);
    return new Promise<never>(() => undefined);
  });
  await expect(running).rejects.toMatchObject({
    code: "storage-unavailable",
    message: "cannot read: the service did not answer in 5 ms",
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test("the caller's signal ends a call, and also the pause before the next attempt", async () => {
  using calls = callsWith({ firstPauseMs: 60_000 });
  const stop = new AbortController();
  const running = calls.run({ action: "read", signal: stop.signal }, async () => {
    setImmediate(() => stop.abort(new Error("enough")));
    throw BUSY;
  });
  await expect(running).rejects.toThrow("enough");
  const later = calls.run({ action: "read", signal: stop.signal }, async () => "never");
  await expect(later).rejects.toThrow("enough");
});

test("the service decides how long the pause is", async () => {
  const failures: unknown[] = [];
  const retryAfterMs = (error: unknown): number => {
    failures.push(error);
    return 1;
  };
  using calls = callsWith({ firstPauseMs: 60_000 }, { retryAfterMs });
  await calls.run({ action: "read" }, async (_signal, number) => {
    if (number === 1) throw BUSY;
  });
  expect(failures).toEqual([BUSY]);
});

test("disposal ends running and later calls", async () => {
  const calls = callsWith();
  const running = calls.run({ action: "read" }, () => new Promise<never>(() => undefined));
  calls[Symbol.dispose]();
  await expect(running).rejects.toBeInstanceOf(StorageError);
  await expect(calls.run({ action: "read" }, async () => 1)).rejects.toMatchObject({
    message: "the object store is closed",
  });
});
