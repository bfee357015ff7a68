import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { currentFence } from "./fence.ts";
import { LostLeaseError } from "./leases.ts";
import { runLeased } from "./run-leased.ts";
import { createMemoryLeases } from "./testing/index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;
const options = { name: "sweep", leaseMs: 3 * MINUTE_MS };

/** Rejects with the signal's reason when it aborts. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

test("work runs on one instance at a time and gives the lease back", async () => {
  const leases = createMemoryLeases();
  const outcome = await runLeased(leases, options, async () => {
    expect(await runLeased(leases, options, async () => 2)).toEqual({ status: "busy" });
    return 1;
  });
  expect(outcome).toEqual({ status: "ended", result: 1 });
  expect(await runLeased(leases, options, async () => 2)).toMatchObject({ result: 2 });
});

test("work that fails gives the lease back", async () => {
  const leases = createMemoryLeases();
  const failing = runLeased(leases, options, () => Promise.reject(new Error("disk is full")));
  await expect(failing).rejects.toThrow("disk is full");
  expect(await runLeased(leases, options, async () => 2)).toMatchObject({ status: "ended" });
});

test("extends the lease for as long as the work takes", async () => {
  const leases = createMemoryLeases();
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = runLeased(leases, options, () => promise);
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(await leases.acquire("sweep", "another", MINUTE_MS)).toBeUndefined();
  resolve();
  expect(await running).toMatchObject({ status: "ended" });
});

test("the signal aborts when another instance has taken the lease over", async () => {
  const leases = createMemoryLeases();
  const running = runLeased(leases, options, untilAborted);
  const stopped = expect(running).rejects.toThrow(LostLeaseError);
  const acquire = leases.acquire.bind(leases);
  vi.spyOn(leases, "acquire").mockResolvedValueOnce(undefined).mockImplementation(acquire);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await stopped;
});

test("a token that rose in between means that another instance had the lease", async () => {
  const leases = createMemoryLeases();
  const running = runLeased(leases, options, untilAborted);
  const stopped = expect(running).rejects.toMatchObject({ code: "lease-lost", lease: "sweep" });
  vi.spyOn(leases, "acquire").mockResolvedValue(7);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await stopped;
});

test("work continues while the database is away, but not beyond the lease", async () => {
  const leases = createMemoryLeases();
  let signal: AbortSignal | undefined;
  const running = runLeased(leases, options, (leaseSignal) => untilAborted((signal = leaseSignal)));
  const stopped = expect(running).rejects.toThrow(LostLeaseError);
  vi.spyOn(leases, "acquire").mockRejectedValue(new Error("database is away"));
  await vi.advanceTimersByTimeAsync(2.5 * MINUTE_MS);
  expect(signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await stopped;
});

test("a database that never answers does not keep the work going", async () => {
  const leases = createMemoryLeases();
  const { promise: hanging, resolve: answer } = Promise.withResolvers<number | undefined>();
  const running = runLeased(leases, options, untilAborted);
  const stopped = expect(running).rejects.toThrow(LostLeaseError);
  vi.spyOn(leases, "acquire").mockReturnValue(hanging);
  await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);
  answer(undefined);
  await stopped;
});

test("a lease counts from the question, however late its answer comes", async () => {
  const leases = createMemoryLeases();
  const acquire = leases.acquire.bind(leases);
  vi.spyOn(leases, "acquire")
    .mockImplementationOnce(async (...lease) => {
      const token = await acquire(...lease);
      await new Promise((resolve) => setTimeout(resolve, 2 * MINUTE_MS));
      return token;
    })
    .mockRejectedValue(new Error("database is away"));
  let signal: AbortSignal | undefined;
  const running = runLeased(leases, options, (own) => untilAborted((signal = own)));
  const stopped = expect(running).rejects.toThrow(LostLeaseError);
  await vi.advanceTimersByTimeAsync(3 * MINUTE_MS - 1);
  expect(signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(signal?.aborted).toBe(true);
  await stopped;
});

test("the caller's signal stops the work with its own reason", async () => {
  const leases = createMemoryLeases();
  const stop = new AbortController();
  const running = runLeased(leases, { ...options, signal: stop.signal }, untilAborted);
  const stopped = expect(running).rejects.toThrow("host stops");
  await vi.advanceTimersByTimeAsync(1);
  stop.abort(new Error("host stops"));
  await stopped;
  expect(await leases.acquire("sweep", "another", MINUTE_MS)).toBeDefined();
});

test("waits for another holder up to the given time", async () => {
  const leases = createMemoryLeases();
  await leases.acquire("sweep", "another", MINUTE_MS);
  const impatient = runLeased(leases, { ...options, waitMaxMs: 30_000 }, async () => 1);
  const patient = runLeased(leases, { ...options, waitMaxMs: 2 * MINUTE_MS }, async () => 1);
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(await impatient).toEqual({ status: "busy" });
  expect(await patient).toEqual({ status: "ended", result: 1 });
});

test("work and everything it starts knows its fence; other code has none", async () => {
  const leases = createMemoryLeases();
  await runLeased(leases, options, async () => undefined);
  await runLeased(leases, options, async () => {
    await Promise.resolve();
    expect(currentFence()).toEqual({ lease: "sweep", token: 2 });
  });
  expect(currentFence()).toBeUndefined();
});
