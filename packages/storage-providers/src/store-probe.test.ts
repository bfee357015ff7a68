import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openFilesystemStore } from "./filesystem.ts";
import { createMemoryStore } from "./memory.ts";
import { STORE_MARKER, adoptStore } from "./store-marker.ts";
import { probeStore, watchStore } from "./store-probe.ts";

const FAKE = ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] as const;

beforeEach(() => void vi.useFakeTimers({ toFake: [...FAKE] }));
afterEach(() => void vi.useRealTimers());

async function openMarked() {
  const store = createMemoryStore();
  await adoptStore(store, "own");
  return store;
}

test("probes at once and then every ten seconds, with or without readers", async () => {
  const store = await openMarked();
  const write = vi.spyOn(store, "write");
  await using watch = watchStore(store);
  await Promise.all([watch.check(), watch.check(), watch.check()]);
  await vi.advanceTimersByTimeAsync(9_999);
  await watch.check();
  expect(write).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  await watch.check();
  expect(write).toHaveBeenCalledTimes(2);
  const keys = (await Array.fromAsync(store.list(""))).map(({ key }) => key);
  expect(keys).toEqual([STORE_MARKER]);
});

test("no caller waits for a probe after the first", async () => {
  const store = await openMarked();
  await using watch = watchStore(store);
  await watch.check();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  vi.spyOn(store, "stat").mockReturnValue(promise);
  await vi.advanceTimersByTimeAsync(10_000);
  // The fake clock does not advance: a caller that waited would never get an answer.
  await watch.check();
  await vi.advanceTimersByTimeAsync(4_000);
  await expect(watch.check()).rejects.toThrow(/did not answer in 4000 ms/);
  resolve(undefined);
});

test("ends with its owner", async () => {
  const store = await openMarked();
  const write = vi.spyOn(store, "write");
  const watch = watchStore(store);
  await watch[Symbol.asyncDispose]();
  expect(write).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(write).toHaveBeenCalledTimes(1);
});

test("a store without its marker fails", async () => {
  await expect(probeStore(createMemoryStore())).rejects.toThrow(/lost its marker/);
});

test("a store that another registry adopts fails, and recovers", async () => {
  const store = await openMarked();
  await using watch = watchStore(store, { registryId: "own" });
  for (const [registryId, reason] of [
    ["own", undefined],
    ["other", /marker of another registry \(other\)/],
    ["own", undefined],
  ] as const) {
    await adoptStore(store, registryId);
    await vi.advanceTimersByTimeAsync(10_000);
    if (reason) await expect(watch.check()).rejects.toThrow(reason);
    else await watch.check();
  }
});

test("a store that hangs fails in time, and is not probed again before it answers", async () => {
  const store = await openMarked();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stat = vi.spyOn(store, "stat").mockReturnValue(promise);
  await using watch = watchStore(store);
  const first = expect(watch.check()).rejects.toThrow(/did not answer in 4000 ms/);
  await vi.advanceTimersByTimeAsync(4_000);
  await first;
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(watch.check()).rejects.toThrow(/did not answer/);
  expect(stat).toHaveBeenCalledTimes(1);
  resolve(undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(stat).toHaveBeenCalledTimes(2);
});

test("a busy event loop does not count as a store that hangs", async () => {
  vi.useFakeTimers({ toFake: [...FAKE, "performance"] });
  const store = await openMarked();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  vi.spyOn(store, "stat").mockReturnValueOnce(promise);
  await using watch = watchStore(store);
  const clock = vi.spyOn(performance, "now").mockReturnValue(20_000);
  await vi.advanceTimersByTimeAsync(4_000);
  clock.mockRestore();
  resolve(undefined);
  await expect(watch.check()).rejects.toThrow(/lost its marker/);
});

test("a folder that was removed or replaced fails, and recovers", async () => {
  vi.useRealTimers();
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-probe-"));
  const root = join(folder, "store");
  await using store = await openFilesystemStore({ root });
  await adoptStore(store, "own");
  await probeStore(store);
  await rename(root, `${root}-elsewhere`);
  await expect(probeStore(store)).rejects.toMatchObject({ name: "StorageError" });
  await rename(`${root}-elsewhere`, root);
  await probeStore(store);
  await rm(folder, { recursive: true });
});
