import assert from "node:assert/strict";
import type { BlobStore } from "../blob-store.ts";
import { createBlobStore } from "../blob-store.ts";
import { parseObjectKey } from "../object-store.ts";
import type { ObjectStore } from "../object-store.ts";
import { leftovers, sweepLeftovers } from "../leftovers.ts";
import { sweepUnnamed } from "../sweep.ts";
import { quarantineCases } from "./quarantine-cases.ts";
import { smallBlobCases } from "./small-blob-cases.ts";
import { bytes, keysIn, noise, put, sha256Of, textOf, torn } from "./bodies.ts";
import type { ContractTest } from "./object-store-contract.ts";

const SHA256_OF_HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
const SHA1_OF_HELLO = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";
const PAST = new Date(0);
const FUTURE = new Date("2999-01-01");

const blobsOn = (store: ObjectStore): BlobStore => createBlobStore(store, { prefix: "oci" });
const notFound = { name: "StorageError", code: "storage-not-found" } as const;
const stagedLost = { name: "StorageError", code: "storage-staged-lost" } as const;

const staging: readonly ContractTest[] = [
  {
    name: "hashes what it stages, in several ways at once",
    async run(store) {
      await using staged = await blobsOn(store).stage(bytes("hel", "lo"), {
        hashes: ["sha1", "sha512", "sha256"],
      });
      assert.equal(staged.size, 5);
      assert.equal(staged.digests.sha256, SHA256_OF_HELLO);
      assert.equal(staged.digests.sha1, SHA1_OF_HELLO);
      assert.equal(staged.digests.sha512?.length, 128);
      assert.equal(await textOf(staged.read({ start: 1, end: 2 })), "el");
    },
  },
  {
    name: "says that staged bytes are lost when something removed their object",
    async run(store) {
      await using staged = await blobsOn(store).stage(noise(300_000));
      for (const key of await keysIn(store)) await store.delete(parseObjectKey(key));
      await assert.rejects(textOf(staged.read()), stagedLost);
      if (!store.copiesOnMove) await assert.rejects(staged.keep(), stagedLost);
    },
  },
  {
    name: "keeps a blob at its content address, under a generation of its own",
    async run(store) {
      const blobs = blobsOn(store);
      await using first = await blobs.stage(bytes("hello"));
      await using second = await blobs.stage(bytes("hello"));
      const [firstBlob, two] = [await first.keep(), await second.keep()];
      const address = `oci/blobs/sha256/2c/${SHA256_OF_HELLO}.`;
      assert.ok(firstBlob.key.startsWith(address) && two.key.startsWith(address));
      assert.notEqual(firstBlob.key, two.key);
      assert.deepEqual([firstBlob.size, firstBlob.sha256], [5, SHA256_OF_HELLO]);
      assert.equal(await textOf(first.read()), "hello");
      assert.equal(await textOf(blobs.read(firstBlob.key, { start: 1, end: 3 })), "ell");
      await two.discard();
      assert.deepEqual(await keysIn(store), [firstBlob.key]);
      assert.equal((await first.keep()).key, firstBlob.key);
    },
  },
  {
    name: "keeps blobs of any size whole, and holds only small ones in memory until then",
    async run(store) {
      const blobs = blobsOn(store);
      for (const size of [0, 1, 256 * 1024, 256 * 1024 + 1, 700_000]) {
        await using staged = await blobs.stage(noise(size));
        assert.equal((await keysIn(store)).length, size > 256 * 1024 ? 1 : 0);
        const savedBlob = await staged.keep();
        assert.deepEqual([staged.size, staged.digests.sha256], [size, await sha256Of(noise(size))]);
        assert.equal(await sha256Of(blobs.read(savedBlob.key)), staged.digests.sha256);
        assert.equal(await sha256Of(staged.read()), staged.digests.sha256);
        assert.deepEqual(await keysIn(store), [savedBlob.key]);
        await savedBlob.discard();
      }
    },
  },
  {
    name: "throws away what was staged and not kept, and only that",
    async run(store) {
      const blobs = blobsOn(store);
      let key: string;
      {
        await using lost = await blobs.stage(bytes("lost"));
        await using staged = await blobs.stage(bytes("kept"));
        assert.equal(lost.size, 4);
        key = (await staged.keep()).key;
      }
      assert.deepEqual(await keysIn(store), [key]);
      assert.equal(await textOf(blobs.read(key)), "kept");
    },
  },
  {
    name: "leaves nothing of a body that is cut, too large or aborted",
    async run(store) {
      const blobs = blobsOn(store);
      await assert.rejects(blobs.stage(torn()), /connection reset/);
      const tooLarge = { name: "StorageError", code: "storage-too-large" };
      await assert.rejects(blobs.stage(bytes("12", "34"), { maxBytes: 3 }), tooLarge);
      const signal = AbortSignal.abort(new Error("stop"));
      await assert.rejects(blobs.stage(bytes("12"), { signal }), /stop/);
      assert.deepEqual(await keysIn(store), []);
    },
  },
  {
    name: "reads nothing where nothing is",
    async run(store) {
      const blobs = blobsOn(store);
      await assert.rejects(textOf(blobs.read("oci/blobs/sha256/aa/aa.1")), notFound);
      await blobs.delete("oci/blobs/sha256/aa/aa.1");
      assert.throws(() => blobs.read("../outside"), { code: "storage-invalid-key" });
    },
  },
  {
    name: "stages an empty body",
    async run(store) {
      await using staged = await blobsOn(store).stage(bytes());
      assert.equal(staged.size, 0);
      const { key } = await staged.keep();
      assert.equal(await textOf(blobsOn(store).read(key)), "");
    },
  },
];

const uploads: readonly ContractTest[] = [
  ...[true, false].map((sameProcess): ContractTest => ({
    name: `joins parts of one upload, ${sameProcess ? "with" : "without"} their hashes at hand`,
    async run(store) {
      const first = blobsOn(store);
      const second = sameProcess ? first : blobsOn(store);
      const size = 900_001;
      const body = Buffer.concat(await Array.fromAsync(noise(size)));
      let offset = 0;
      for (const [index, end] of [1, 300_000, 300_001, size].entries()) {
        const part = bytesOf(body.subarray(offset, end));
        const blobs = index % 2 === 0 ? first : second;
        offset = await blobs.uploads.append("u-1", offset, part, { hashes: ["sha512"] });
        assert.equal(offset, end);
      }
      await using staged = await first.uploads.assemble("u-1", size, { hashes: ["sha512"] });
      assert.equal(staged.digests.sha256, await sha256Of(noise(size)));
      assert.equal(staged.digests.sha512?.length, 128);
      assert.deepEqual(await keysIn(store, "oci/uploads/"), []);
      const { key } = await staged.keep();
      assert.equal(await sha256Of(first.read(key)), staged.digests.sha256);
      assert.deepEqual(await keysIn(store), [key]);
    },
  })),
  {
    name: "makes a single part a blob, on this instance or another",
    async run(store) {
      for (const assembler of [blobsOn(store), undefined]) {
        const writer = assembler ?? blobsOn(store);
        await writer.uploads.append("one", 0, bytes("hello"));
        await using staged = await (assembler ?? blobsOn(store)).uploads.assemble("one", 5);
        assert.deepEqual([staged.size, staged.digests.sha256], [5, SHA256_OF_HELLO]);
        assert.equal(await textOf(staged.read()), "hello");
      }
      assert.deepEqual(await keysIn(store), []);
    },
  },
  {
    name: "goes on after a part that was cut, as if it had never begun",
    async run(store) {
      const { uploads: parts } = blobsOn(store);
      await parts.append("u", 0, bytes("hel"));
      await assert.rejects(parts.append("u", 3, torn()), /connection reset/);
      await parts.append("u", 3, bytes("lo"));
      await using staged = await parts.assemble("u", 5);
      assert.equal(staged.digests.sha256, SHA256_OF_HELLO);
    },
  },
  {
    name: "never mixes the parts of two writers of one upload, nor their hashes",
    async run(store) {
      const [blobStore, two] = [blobsOn(store), blobsOn(store)];
      await blobStore.uploads.append("u", 0, bytes("evil!"));
      await two.uploads.append("u", 0, bytes("hello"));
      await blobStore.uploads.append("u", 0, bytes("other"));
      await using staged = await two.uploads.assemble("u", 5);
      assert.equal(staged.digests.sha256, SHA256_OF_HELLO);
      assert.equal(await textOf(staged.read()), "hello");
    },
  },
  {
    name: "finds the row of parts that fits among left-overs",
    async run(store) {
      await blobsOn(store).uploads.append("u", 0, bytes("he"));
      await blobsOn(store).uploads.append("u", 2, bytes("XYZXYZ"));
      await blobsOn(store).uploads.append("u", 2, bytes("l"));
      await blobsOn(store).uploads.append("u", 0, bytes("he++"));
      await blobsOn(store).uploads.append("u", 3, bytes("lo"));
      await blobsOn(store).uploads.append("u", 5, bytes("beyond"));
      await using staged = await blobsOn(store).uploads.assemble("u", 5);
      assert.equal(staged.digests.sha256, SHA256_OF_HELLO);
      assert.deepEqual(await keysIn(store, "oci/uploads/"), []);
    },
  },
  {
    name: "refuses to join what has a gap, and counts empty parts as nothing",
    async run(store) {
      const { uploads: parts } = blobsOn(store);
      assert.equal(await parts.append("u", 0, bytes()), 0);
      await parts.append("u", 1, bytes("ello"));
      await assert.rejects(parts.assemble("u", 5), stagedLost);
      await parts.drop("u");
      assert.deepEqual(await keysIn(store), []);
      await using nothing = await parts.assemble("u", 0);
      assert.equal(nothing.size, 0);
    },
  },
];

const sweeping: readonly ContractTest[] = [
  {
    name: "sweeps blobs that no row names, and keeps the others",
    async run(store) {
      const blobs = blobsOn(store);
      const keys: string[] = [];
      for (let index = 0; index < 7; index += 1) {
        await using staged = await blobs.stage(bytes(`blob ${index}`));
        keys.push((await staged.keep()).key);
      }
      await put(store, "npm/blobs/sha256/aa/other.1", "another protocol's");
      await put(store, "certificate.pfx", "not a blob");
      const referencedKeys = new Set(keys.slice(0, 3));
      const batchSizes: number[] = [];
      const outcome = await sweepUnnamed(store, {
        prefix: "oci",
        olderThan: FUTURE,
        batch: 2,
        isNamed: async (some) => {
          batchSizes.push(some.length);
          return referencedKeys;
        },
      });
      assert.deepEqual(outcome, { examined: 7, deleted: 4, deletedBytes: 24 });
      assert.deepEqual(batchSizes, [2, 2, 2, 1]);
      assert.deepEqual(
        await keysIn(store),
        [...referencedKeys, "npm/blobs/sha256/aa/other.1", "certificate.pfx"].toSorted(),
      );
    },
  },
  {
    name: "does not look at anything younger than the grace time",
    async run(store) {
      const blobs = blobsOn(store);
      await using staged = await blobs.stage(bytes("new"));
      await staged.keep();
      await using waiting = await blobs.stage(noise(300_000));
      await blobs.uploads.append("u", 0, bytes("part"));
      const none = async () => new Set<string>();
      const options = { prefix: "oci", olderThan: PAST, isNamed: none, hasSession: none };
      const outcome = await sweepUnnamed(store, options);
      assert.deepEqual(outcome, { examined: 0, deleted: 0, deletedBytes: 0 });
      assert.equal((await keysIn(store)).length, 3);
      assert.equal(waiting.size, 300_000);
    },
  },
  {
    name: "lists staged bodies that nobody keeps, and deletes those that are old enough",
    async run(store) {
      await put(store, "oci/staging/left-by-a-crash", "left");
      await put(store, "oci/blobs/sha256/aa/aa.1", "x");
      const prefixes = ["oci", "npm"];
      const young = { prefixes, olderThan: PAST };
      assert.deepEqual(await Array.fromAsync(leftovers(store, young)), []);
      const old = { prefixes, olderThan: FUTURE };
      const names = (await Array.fromAsync(leftovers(store, old))).map(({ name }) => name);
      assert.deepEqual(names, ["oci/staging/left-by-a-crash"]);
      assert.deepEqual(await sweepLeftovers(store, old), { count: 1, bytes: 4 });
      assert.deepEqual(await keysIn(store), ["oci/blobs/sha256/aa/aa.1"]);
    },
  },
  {
    name: "sweeps the parts of uploads without a session",
    async run(store) {
      const blobs = blobsOn(store);
      await blobs.uploads.append("open", 0, bytes("a"));
      await blobs.uploads.append("lost", 0, bytes("b"));
      await blobs.uploads.append("lost", 1, bytes("c"));
      const isNamed = async () => new Set<string>();
      const withoutSessions = { prefix: "oci", olderThan: FUTURE, isNamed };
      assert.equal((await sweepUnnamed(store, withoutSessions)).deleted, 0);
      const hasSession = async (ids: readonly string[]) => {
        assert.deepEqual(ids.toSorted(), ["lost", "open"]);
        return new Set(["open"]);
      };
      assert.equal((await sweepUnnamed(store, { ...withoutSessions, hasSession })).deleted, 2);
      assert.equal(await textOf((await blobs.uploads.assemble("open", 1)).read()), "a");
    },
  },
  {
    name: "stops sweeping when the signal says so, or the database does not answer",
    async run(store) {
      await put(store, "oci/blobs/sha256/aa/aa.1", "x");
      const options = { prefix: "oci", olderThan: FUTURE, isNamed: async () => new Set<string>() };
      const signal = AbortSignal.abort(new Error("stop"));
      await assert.rejects(sweepUnnamed(store, { ...options, signal }), /stop/);
      const isNamed = () => Promise.reject(new Error("no database"));
      await assert.rejects(sweepUnnamed(store, { ...options, isNamed }), /no database/);
      assert.ok(await store.stat(parseObjectKey("oci/blobs/sha256/aa/aa.1")));
    },
  },
];

/** Contract tests of blob stores on any `ObjectStore`; each starts with an empty store. */
export const blobStoreContract: readonly ContractTest[] = [
  ...staging,
  ...smallBlobCases,
  ...uploads,
  ...sweeping,
  ...quarantineCases,
];

async function* bytesOf(whole: Uint8Array): AsyncGenerator<Uint8Array> {
  yield whole;
}
