import { expect, test } from "vitest";
import { createBlobStore } from "./blob-store.ts";
import { createMemoryStore } from "./memory.ts";
import type { ObjectStore } from "./object-store.ts";
import { sweepUnnamed } from "./sweep.ts";
import { bytes, keysIn, textOf } from "./testing/bodies.ts";

/** A store some of whose lists omit the newest object, as stores without consistency do. */
function listingLate(store: ObjectStore, isLate: (list: number) => boolean): ObjectStore {
  let lists = 0;
  return {
    ...store,
    async *list(prefix) {
      const infos = await Array.fromAsync(store.list(prefix));
      lists += 1;
      yield* isLate(lists) ? infos.slice(0, -1) : infos;
    },
  };
}

async function appendTwice(store: ObjectStore): Promise<number> {
  // Another instance, so that the one that ends the upload must list the parts.
  const { uploads } = createBlobStore(store, { prefix: "oci" });
  const offset = await uploads.append("id", 0, bytes("first "));
  return uploads.append("id", offset, bytes("second"));
}

test("an upload waits for parts that the store lists late", async () => {
  const store = createMemoryStore();
  const size = await appendTwice(store);
  const blobs = createBlobStore(
    listingLate(store, (list) => list <= 2),
    { prefix: "oci" },
  );
  await using staged = await blobs.uploads.assemble("id", size);
  const blob = await staged.keep();
  expect(await textOf(blobs.read(blob.key))).toBe("first second");
});

test("an upload whose part is lost fails, and leaves its other parts", async () => {
  const store = createMemoryStore();
  const size = await appendTwice(store);
  const blobs = createBlobStore(
    listingLate(store, () => true),
    { prefix: "oci" },
  );
  await expect(blobs.uploads.assemble("id", size)).rejects.toMatchObject({
    code: "storage-staged-lost",
  });
  expect(await keysIn(store)).toHaveLength(2);
});

test("a sweep deletes parts that a late list has left", async () => {
  const store = createMemoryStore();
  const size = await appendTwice(store);
  // Both parts are listed when they are joined, and one of them when they are deleted.
  const blobs = createBlobStore(
    listingLate(store, (list) => list === 2),
    { prefix: "oci" },
  );
  await using staged = await blobs.uploads.assemble("id", size);
  const blob = await staged.keep();
  expect(await keysIn(store)).toHaveLength(2);
  await sweepUnnamed(store, {
    prefix: "oci",
    olderThan: new Date(Date.now() + 60_000),
    isNamed: async () => new Set([blob.key]),
    hasSession: async () => new Set(),
  });
  expect(await keysIn(store)).toEqual([blob.key]);
});
