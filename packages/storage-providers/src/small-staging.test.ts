import { expect, test } from "vitest";
import { createBlobStore } from "./blob-store.ts";
import { createMemoryStore } from "./memory.ts";
import { HELD_BYTES_MAX, HELD_BYTES_TOTAL } from "./small-staging.ts";
import { keysIn } from "./testing/bodies.ts";

const MANY = HELD_BYTES_TOTAL / HELD_BYTES_MAX + 20;

async function* bodyOf(size: number) {
  yield new Uint8Array(size);
}

async function* torn(size: number) {
  yield* bodyOf(size);
  throw new Error("connection reset");
}

test("bodies in memory share a limit; others are staged in the store", async () => {
  const store = createMemoryStore();
  const blobs = createBlobStore(store, { prefix: "oci" });
  {
    await using all = new AsyncDisposableStack();
    for (let count = 0; count < MANY; count += 1) {
      all.use(await blobs.stage(bodyOf(HELD_BYTES_MAX)));
    }
    const waiting = (await keysIn(store)).length;
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThan(40);
    all.use(await blobs.stage(bodyOf(1_000)));
    expect(await keysIn(store), "the first bytes always have a place").toHaveLength(waiting);
  }
  expect(await keysIn(store)).toEqual([]);
  await using later = await blobs.stage(bodyOf(HELD_BYTES_MAX));
  expect(later.size).toBe(HELD_BYTES_MAX);
  expect(await keysIn(store)).toEqual([]);
});

test("aborted and large bodies release their memory", async () => {
  const store = createMemoryStore();
  const blobs = createBlobStore(store, { prefix: "oci" });
  for (let count = 0; count < MANY; count += 1) {
    await expect(blobs.stage(torn(HELD_BYTES_MAX))).rejects.toThrow("connection reset");
  }
  for (let count = 0; count < MANY; count += 1) {
    await using large = await blobs.stage(bodyOf(HELD_BYTES_MAX + 1));
    expect(large.size).toBe(HELD_BYTES_MAX + 1);
  }
  await using later = await blobs.stage(bodyOf(HELD_BYTES_MAX));
  expect(later.size).toBe(HELD_BYTES_MAX);
  expect(await keysIn(store)).toEqual([]);
});
