import assert from "node:assert/strict";
import { createBlobStore } from "../blob-store.ts";
import type { ObjectStore } from "../object-store.ts";
import { quarantineUnnamed } from "../quarantine.ts";
import { sweepUnnamed } from "../sweep.ts";
import { bytes, keysIn, put } from "./bodies.ts";
import type { ContractTest } from "./object-store-contract.ts";

const PAST = new Date(0);
const FUTURE = new Date("2999-01-01");
const NONE = { count: 0, bytes: 0 };
const NOTHING = { examined: 0, setAside: NONE, restored: NONE, deleted: NONE, held: NONE };
const nobody = async () => new Set<string>();

/** Contract tests of the quarantine. */
export const quarantineCases: readonly ContractTest[] = [
  {
    name: "sets blobs aside that no row names, and deletes them later",
    async run(store) {
      const [keptKey = "", firstKey = "", two = ""] = await keep(store, "kept", "one", "two!");
      await put(store, "npm/blobs/sha256/aa/other.1", "another protocol's");
      await put(store, "oci/staging/running", "x");
      const isNamed = async () => new Set([keptKey]);
      const options = { prefix: "oci", olderThan: FUTURE, heldSince: PAST, isNamed, batch: 2 };
      const outcome = await quarantineUnnamed(store, options);
      const both = { count: 2, bytes: 7 };
      assert.deepEqual(outcome, { ...NOTHING, examined: 3, setAside: both });
      const others = [keptKey, "npm/blobs/sha256/aa/other.1", "oci/staging/running"];
      const aside = [firstKey, two].map((key) => key.replace("/blobs/", "/quarantine/"));
      assert.deepEqual(await keysIn(store), [...others, ...aside].toSorted());

      const again = await quarantineUnnamed(store, options);
      assert.deepEqual(again, { ...NOTHING, examined: 3, held: both });
      const later = await quarantineUnnamed(store, { ...options, heldSince: FUTURE });
      assert.deepEqual(later, { ...NOTHING, examined: 3, deleted: both });
      assert.deepEqual(await keysIn(store), others.toSorted());
    },
  },
  {
    name: "gives a blob that was set aside its key back once a row names it",
    async run(store) {
      const [key = ""] = await keep(store, "restored");
      const options = { prefix: "oci", olderThan: FUTURE, heldSince: FUTURE, isNamed: nobody };
      await quarantineUnnamed(store, options);
      const isNamed = async () => new Set([key]);
      const outcome = await quarantineUnnamed(store, { ...options, isNamed });
      assert.deepEqual(outcome.restored, { count: 1, bytes: 8 });
      assert.deepEqual(await keysIn(store), [key]);
    },
  },
  {
    name: "sets nothing aside that is younger than the grace time",
    async run(store) {
      const [key = ""] = await keep(store, "new");
      const options = { prefix: "oci", olderThan: PAST, heldSince: FUTURE, isNamed: nobody };
      assert.deepEqual(await quarantineUnnamed(store, options), NOTHING);
      assert.deepEqual(await keysIn(store), [key]);
    },
  },
  {
    name: "only counts what it would set aside when it is asked to give back alone",
    async run(store) {
      const [key = ""] = await keep(store, "left");
      await put(store, "oci/quarantine/sha256/aa/aa.1", "x");
      await put(store, "oci/quarantine/sha256/bb/bb.1", "yy");
      const isNamed = async () => new Set(["oci/blobs/sha256/bb/bb.1"]);
      const all = { prefix: "oci", olderThan: FUTURE, heldSince: FUTURE, isNamed };
      const outcome = await quarantineUnnamed(store, { ...all, changes: "restore" });
      const deleted = { count: 1, bytes: 1 };
      assert.deepEqual(outcome, {
        ...NOTHING,
        examined: 4,
        setAside: { count: 1, bytes: 4 },
        restored: { count: 1, bytes: 2 },
        deleted,
      });
      const left = [key, "oci/blobs/sha256/bb/bb.1", "oci/quarantine/sha256/aa/aa.1"];
      assert.deepEqual(await keysIn(store), left.toSorted());
    },
  },
  {
    name: "leaves blobs to the quarantine when it sweeps the rest",
    async run(store) {
      const [key = ""] = await keep(store, "unnamed");
      const options = {
        prefix: "oci",
        olderThan: FUTURE,
        isNamed: nobody,
        blobs: "leave",
      } as const;
      assert.equal((await sweepUnnamed(store, options)).deleted, 0);
      assert.deepEqual(await keysIn(store), [key]);
    },
  },
];

async function keep(store: ObjectStore, ...contents: readonly string[]): Promise<string[]> {
  const blobs = createBlobStore(store, { prefix: "oci" });
  const keys: string[] = [];
  for (const content of contents) {
    await using staged = await blobs.stage(bytes(content));
    keys.push((await staged.keep()).key);
  }
  return keys;
}
