import assert from "node:assert/strict";
import { createBlobStore } from "../blob-store.ts";
import type { SmallBlobs } from "../small-blobs.ts";
import { bytes, keysIn, put, textOf } from "./bodies.ts";
import type { ContractTest } from "./object-store-contract.ts";

const notFound = { name: "StorageError", code: "storage-not-found" } as const;

/** Stores blobs like the rows of a database. */
function smallBlobsIn(rows: Map<string, Uint8Array>): SmallBlobs {
  return {
    bytesMax: 5,
    read: async (key) => rows.get(key),
    delete: async (key) => void rows.delete(key),
  };
}

export const smallBlobCases: readonly ContractTest[] = [
  {
    name: "leaves the bytes of small blobs to whoever names them",
    async run(store) {
      const rows = new Map<string, Uint8Array>();
      const blobs = createBlobStore(store, { prefix: "oci", small: smallBlobsIn(rows) });
      await using staged = await blobs.stage(bytes("hel", "lo"));
      const savedBlob = await staged.keep();
      assert.ok(savedBlob.key.startsWith(`oci/blobs/sha256/2c/${staged.digests.sha256}.`));
      assert.equal((await staged.keep()).key, savedBlob.key);
      assert.deepEqual(await keysIn(store), []);
      assert.equal(await blobs.sizeOf(savedBlob.key), undefined);
      await assert.rejects(textOf(blobs.read(savedBlob.key)), notFound);

      rows.set(savedBlob.key, savedBlob.bytes ?? new Uint8Array());
      assert.equal(await blobs.sizeOf(savedBlob.key), 5);
      assert.equal(await textOf(blobs.read(savedBlob.key)), "hello");
      assert.equal(await textOf(blobs.read(savedBlob.key, { start: 1, end: 3 })), "ell");
      assert.equal(await blobs.presign(savedBlob.key, { expiresInMs: 1_000 }), undefined);
      await savedBlob.discard();
      assert.equal(await textOf(blobs.read(savedBlob.key)), "hello");
      await blobs.delete(savedBlob.key);
      assert.equal(rows.size, 0);
    },
  },
  {
    name: "makes objects of larger ones, and reads those of before",
    async run(store) {
      const rows = new Map<string, Uint8Array>();
      const before = "oci/blobs/sha256/aa/aa.1";
      await put(store, before, "old");
      const blobs = createBlobStore(store, { prefix: "oci", small: smallBlobsIn(rows) });
      await using staged = await blobs.stage(bytes("123456"));
      const savedBlob = await staged.keep();
      assert.equal(savedBlob.bytes, undefined);
      assert.deepEqual((await keysIn(store)).toSorted(), [before, savedBlob.key].toSorted());
      assert.deepEqual([await blobs.sizeOf(savedBlob.key), await blobs.sizeOf(before)], [6, 3]);
      assert.equal(await textOf(blobs.read(before)), "old");
      await blobs.delete(before);
      assert.deepEqual(await keysIn(store), [savedBlob.key]);
    },
  },
];
