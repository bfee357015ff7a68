import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openFilesystemStore } from "./filesystem.ts";
import { createMemoryStore } from "./memory.ts";
import { STORE_MARKER, markStore } from "./store-marker.ts";
import { createStoreProbe } from "./store-probe.ts";

const nothing = () => Promise.resolve([]);

async function openMarked() {
  const store = createMemoryStore();
  await markStore(store, nothing);
  return store;
}

test("a probe leaves nothing behind, and many askers share one", async () => {
  const store = await openMarked();
  const write = vi.spyOn(store, "write");
  let time = 0;
  const probe = createStoreProbe(store, { now: () => time });
  await Promise.all([probe(), probe(), probe()]);
  time = 9_999;
  await probe();
  expect(write).toHaveBeenCalledTimes(1);
  time = 10_000;
  await probe();
  expect(write).toHaveBeenCalledTimes(2);
  const keys = (await Array.fromAsync(store.list(""))).map(({ key }) => key);
  expect(keys).toEqual([STORE_MARKER]);
});

test("a store without its marker fails", async () => {
  const probe = createStoreProbe(createMemoryStore());
  await expect(probe()).rejects.toThrow(/lost its marker/);
});

test("a store that hangs fails in time, and is not asked again before it answers", async () => {
  const store = await openMarked();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stat = vi.spyOn(store, "stat").mockReturnValue(promise);
  let time = 0;
  const probe = createStoreProbe(store, { timeoutMs: 5, now: () => time });
  await expect(probe()).rejects.toThrow(/did not answer in 5 ms/);
  time = 60_000;
  await expect(probe()).rejects.toThrow(/did not answer/);
  expect(stat).toHaveBeenCalledTimes(1);
  resolve(undefined);
  await vi.waitFor(async () => {
    await probe().catch(() => undefined);
    expect(stat).toHaveBeenCalledTimes(2);
  });
});

test("a folder that was removed, replaced or made read-only fails, and recovers", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-probe-"));
  const root = join(folder, "store");
  await using store = await openFilesystemStore({ root });
  await markStore(store, nothing);
  let time = 0;
  const check = createStoreProbe(store, { now: () => (time += 10_000) });
  await check();
  await rename(root, `${root}-elsewhere`);
  await expect(check()).rejects.toMatchObject({ name: "StorageError" });
  await rename(`${root}-elsewhere`, root);
  await check();
  // root may write anywhere.
  if (process.getuid?.() !== 0) {
    await chmod(join(root, ".incoming"), 0o500);
    await expect(check()).rejects.toMatchObject({ name: "StorageError" });
    await chmod(join(root, ".incoming"), 0o700);
  }
  await rm(folder, { recursive: true });
});
