import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runOperatorWork } from "./operator-work.ts";
import { createMemoryLeases } from "./testing/index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;

test("a killed run blocks the next one for a minute, and the outcome has the time", async () => {
  const leases = createMemoryLeases();
  const next = () => runOperatorWork(leases, { name: "check" }, async () => "checked");
  const startMs = Date.now();
  void runOperatorWork(leases, { name: "check" }, () => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(0);
  // A killed process extends nothing.
  vi.clearAllTimers();
  const heldUntil = new Date(startMs + MINUTE_MS);
  expect(await next()).toEqual({ status: "busy", heldUntil });
  vi.setSystemTime(startMs + MINUTE_MS - 1);
  expect(await next()).toEqual({ status: "busy", heldUntil });
  vi.setSystemTime(startMs + MINUTE_MS);
  expect(await next()).toEqual({ status: "ended", result: "checked" });
});

test("work that takes longer than its lease keeps it", async () => {
  const leases = createMemoryLeases();
  const { promise, resolve } = Promise.withResolvers<string>();
  const running = runOperatorWork(leases, { name: "check" }, () => promise);
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  const other = await runOperatorWork(leases, { name: "check" }, async () => "twice");
  expect(other).toMatchObject({ status: "busy" });
  resolve("checked");
  expect(await running).toEqual({ status: "ended", result: "checked" });
});
