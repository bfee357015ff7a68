import { expect, test, vi } from "vitest";
import { createBlobStore } from "./blob-store.ts";
import { storedObjects } from "./check/stored-objects.ts";
import { createMemoryStore } from "./memory.ts";
import { HELD_BYTES_MAX } from "./small-staging.ts";
import { keysIn } from "./testing/bodies.ts";

async function* largeBody() {
  yield new Uint8Array(HELD_BYTES_MAX);
  yield new Uint8Array(1);
}

function openBlobs() {
  const store = createMemoryStore({ copiesOnMove: true });
  return { store, move: vi.spyOn(store, "move"), blobs: createBlobStore(store, { prefix: "oci" }) };
}

test("a large body is written once, where the database will look for it", async () => {
  const { store, move, blobs } = openBlobs();
  const blob = await (async () => {
    await using staged = await blobs.stage(largeBody());
    return await staged.keep();
  })();
  expect(blob.key).toMatch(/^oci\/blobs\/streamed\/[0-9a-f]+\.0$/);
  expect(await keysIn(store)).toEqual([blob.key]);
  expect(move).not.toHaveBeenCalled();
  await blob.discard();
  expect(await keysIn(store)).toEqual([]);
});

test("a large body without `keep` is deleted", async () => {
  const { store, blobs } = openBlobs();
  await using staged = await blobs.stage(largeBody());
  expect(await keysIn(store)).toHaveLength(1);
  await staged[Symbol.asyncDispose]();
  expect(await keysIn(store)).toEqual([]);
});

test("an upload in one part is copied once", async () => {
  const { move, blobs } = openBlobs();
  const size = await blobs.uploads.append("id", 0, largeBody());
  await using staged = await blobs.uploads.assemble("id", size);
  const blob = await staged.keep();
  expect(await blobs.sizeOf(blob.key)).toBe(size);
  expect(move).toHaveBeenCalledTimes(1);
});

test("a check looks for no other generations of a streamed blob", async () => {
  const { store, blobs } = openBlobs();
  const keep = async () => {
    await using staged = await blobs.stage(largeBody());
    return await staged.keep();
  };
  const [first] = [await keep(), await keep()];
  const isNamed = () => Promise.resolve(new Set<string>());
  const objects = storedObjects({ store, blobs, prefix: "oci", isNamed });
  expect(await Array.fromAsync(objects.others(first.key))).toEqual([first.key]);
});
