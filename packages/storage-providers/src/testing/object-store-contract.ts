import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { ObjectStore } from "../object-store.ts";
import { parseObjectKey } from "../object-store.ts";
import { bytes, get, keysIn, noise, put, sha256Of, textOf, torn } from "./bodies.ts";

export type ContractTest = {
  readonly name: string;
  readonly run: (store: ObjectStore) => Promise<void>;
};

const LARGE_BYTES = 24 * 1024 * 1024 + 17;
const KEY = parseObjectKey("a/b/c.bin");

const reading: readonly ContractTest[] = [
  {
    name: "reads back what was written",
    async run(store) {
      const body = bytes("hello ", "", "world");
      const outcome = await store.write(KEY, body, { existing: "replace" });
      assert.deepEqual(outcome, { status: "written", size: 11 });
      assert.equal(await get(store, KEY), "hello world");
      assert.equal(await textOf(store.bytes(KEY)), "hello world");
      const info = await store.stat(KEY);
      assert.equal(info?.size, 11);
      assert.equal(info?.key, KEY);
    },
  },
  {
    name: "reads ranges, also those that reach past the end",
    async run(store) {
      await put(store, KEY, "hello world");
      const cases = [
        [0, 10, "hello world"],
        [0, 0, "h"],
        [6, 8, "wor"],
        [10, 10, "d"],
        [6, 99, "world"],
        [11, 20, ""],
        [50, 60, ""],
        [5, 4, ""],
      ] as const;
      for (const [start, end, expected] of cases) {
        const storedObject = await store.read(KEY, { start, end });
        assert.ok(storedObject);
        assert.equal(await textOf(storedObject.body), expected, `${start}-${end}`);
        assert.equal(storedObject.info.size, 11, "the size is that of the whole object");
        assert.equal(await textOf(store.bytes(KEY, { start, end })), expected, `${start}-${end}`);
      }
    },
  },
  {
    name: "keeps an object of no bytes",
    async run(store) {
      await store.write(KEY, bytes(), { existing: "keep" });
      assert.equal((await store.stat(KEY))?.size, 0);
      assert.equal(await get(store, KEY), "");
      const storedObject = await store.read(KEY, { start: 0, end: 0 });
      assert.ok(storedObject);
      assert.equal(await textOf(storedObject.body), "");
    },
  },
  {
    name: "answers undefined for what is not there, and deletes it without complaint",
    async run(store) {
      await put(store, "folder/object", "x");
      for (const key of ["nothing", "folder", "folder/nothing"].map(parseObjectKey)) {
        assert.equal(await store.stat(key), undefined);
        assert.equal(await store.read(key), undefined);
        const missing = { name: "StorageError", code: "storage-not-found" };
        await assert.rejects(textOf(store.bytes(key)), missing);
        await store.delete(key);
      }
      assert.equal(await get(store, "folder/object"), "x");
    },
  },
  {
    name: "no longer reads what was deleted",
    async run(store) {
      await put(store, KEY, "gone");
      const before = await store.read(KEY);
      await store.delete(KEY);
      assert.equal(await store.read(KEY), undefined);
      assert.ok(before);
      // Reading late may return the complete former object or a clear error.
      const late = await textOf(before.body).catch((error: unknown) => error);
      if (late !== "gone") assert.equal(codeOf(late), "storage-not-found");
    },
  },
  {
    name: "streams a large object whole, and any part of it",
    async run(store) {
      await store.write(KEY, noise(LARGE_BYTES), { existing: "replace" });
      const storedObject = await store.read(KEY);
      assert.ok(storedObject);
      assert.equal(storedObject.info.size, LARGE_BYTES);
      assert.equal(await sha256Of(storedObject.body), await sha256Of(noise(LARGE_BYTES)));

      const whole = Buffer.concat(await Array.fromAsync(noise(LARGE_BYTES)));
      for (const [start, end] of [
        [131_071, 262_144],
        [1, LARGE_BYTES - 2],
        [LARGE_BYTES - 300_000, LARGE_BYTES + 5],
      ] as const) {
        const part = await store.read(KEY, { start, end });
        assert.ok(part);
        assert.equal(part.info.size, LARGE_BYTES);
        const read = Buffer.concat(await Array.fromAsync(part.body));
        assert.ok(read.equals(whole.subarray(start, end + 1)), `${start}-${end}`);
      }
    },
  },
];

const writing: readonly ContractTest[] = [
  {
    name: "replaces when asked to, and keeps when asked to",
    async run(store) {
      await put(store, KEY, "one");
      const outcome = await store.write(KEY, bytes("two"), { existing: "keep" });
      assert.deepEqual(outcome, { status: "exists" });
      assert.equal(await get(store, KEY), "one");
      await put(store, KEY, "three");
      assert.equal(await get(store, KEY), "three");
    },
  },
  {
    name: "keeps exactly one of many concurrent keep-writes",
    async run(store) {
      const texts = Array.from({ length: 12 }, (_, index) => `writer ${index}`);
      const outcomes = await Promise.all(
        texts.map((text) => store.write(KEY, bytes(text), { existing: "keep" })),
      );
      const written = texts.filter((_, index) => outcomes[index]?.status === "written");
      assert.equal(written.length, 1);
      assert.equal(await get(store, KEY), written[0]);
    },
  },
  {
    name: "holds one of many concurrent replacing writes, whole",
    async run(store) {
      const bodies = [1, 2, 3, 4].map((seed) => () => noise(400_000, seed));
      await Promise.all(bodies.map((body) => store.write(KEY, body(), { existing: "replace" })));
      const storedObject = await store.read(KEY);
      assert.ok(storedObject);
      const possible = await Promise.all(bodies.map((body) => sha256Of(body())));
      assert.ok(possible.includes(await sha256Of(storedObject.body)));
    },
  },
  {
    name: "leaves nothing behind, and the old object alone, when the body throws",
    async run(store) {
      await assert.rejects(store.write(KEY, torn(), { existing: "keep" }), /connection reset/);
      assert.equal(await store.stat(KEY), undefined);
      await put(store, KEY, "old");
      await assert.rejects(store.write(KEY, torn(), { existing: "replace" }), /connection reset/);
      assert.equal(await get(store, KEY), "old");
      assert.deepEqual(await keysIn(store), [KEY]);
    },
  },
  {
    name: "stops when the signal says so, even while the body hangs",
    async run(store) {
      const stop = new AbortController();
      const options = { existing: "replace", signal: stop.signal } as const;
      const pending = store.write(KEY, hanging(), options);
      await setImmediate();
      stop.abort(new Error("shutting down"));
      await assert.rejects(pending, /shutting down/);
      await assert.rejects(store.write(KEY, bytes("x"), options), /shutting down/);
      assert.deepEqual(await keysIn(store), []);
    },
  },
  {
    name: "refuses more bytes than allowed, takes exactly as many, and closes the body",
    async run(store) {
      let closed = false;
      const body = (async function* () {
        try {
          yield* bytes("123", "45", "6");
        } finally {
          closed = true;
        }
      })();
      const tooLarge = store.write(KEY, body, { existing: "replace", maxBytes: 4 });
      await assert.rejects(tooLarge, { name: "StorageError", code: "storage-too-large" });
      assert.ok(closed);
      assert.deepEqual(await keysIn(store), []);
      await store.write(KEY, bytes("12", "34"), { existing: "replace", maxBytes: 4 });
      assert.equal(await get(store, KEY), "1234");
    },
  },
  {
    name: "does not see changes the writer makes to a chunk it has handed over",
    async run(store) {
      const reused = Buffer.from("0000");
      const body = (async function* () {
        for (const text of ["1111", "2222"]) {
          reused.write(text);
          yield reused;
        }
      })();
      await store.write(KEY, body, { existing: "replace" });
      assert.equal(await get(store, KEY), "11112222");
    },
  },
];

const naming: readonly ContractTest[] = [
  {
    name: "takes odd but valid keys, and tells them apart",
    async run(store) {
      const keys = [
        "a",
        "@scope/name/name-1.0.0.tgz",
        "x/1.0.0+build~1:2",
        "x/_",
        "deep/".repeat(40) + "end",
        `long/${"n".repeat(200)}`,
        "dots/a..b",
        "dots/a.",
      ];
      for (const key of keys) await put(store, key, key);
      for (const key of keys) assert.equal(await get(store, key), key);
      assert.deepEqual(await keysIn(store), keys.toSorted());
      for (const key of keys) await store.delete(parseObjectKey(key));
      assert.deepEqual(await keysIn(store), []);
    },
  },
  {
    name: "moves an object, as new, and replaces what had the name",
    async run(store) {
      const [from, to] = [parseObjectKey("from/x"), parseObjectKey("to/deep/y")];
      await put(store, "from/x", "moved");
      await put(store, "to/deep/y", "replaced");
      const before = await store.stat(from);
      // The HTTP dates of object stores have whole seconds.
      await new Promise((resolve) => setTimeout(resolve, store.copiesOnMove ? 1_100 : 20));
      await store.move(from, to);
      assert.equal(await store.stat(from), undefined);
      assert.equal(await get(store, to), "moved");
      assert.deepEqual(await keysIn(store), [to]);
      const after = await store.stat(to);
      assert.ok(before && after && after.modifiedAt > before.modifiedAt);
    },
  },
  {
    name: "cannot move what is not there",
    async run(store) {
      await put(store, "folder/x", "stays");
      for (const from of ["nothing", "folder"]) {
        await assert.rejects(store.move(parseObjectKey(from), parseObjectKey("to")), {
          name: "StorageError",
          code: "storage-not-found",
        });
      }
      assert.deepEqual(await keysIn(store), ["folder/x"]);
    },
  },
  {
    name: "gives a moved object to exactly one of many movers, or a copy to each",
    async run(store) {
      await put(store, "from", "x");
      const moves = ["1", "2", "3", "4"].map((name) =>
        store.move(parseObjectKey("from"), parseObjectKey(`to/${name}`)),
      );
      const outcomes = await Promise.allSettled(moves);
      const movers = ["1", "2", "3", "4"].filter((_, i) => outcomes[i]?.status === "fulfilled");
      if (store.copiesOnMove) assert.ok(movers.length > 0);
      else assert.equal(movers.length, 1);
      assert.deepEqual(
        await keysIn(store),
        movers.map((name) => `to/${name}`),
      );
      for (const name of movers) assert.equal(await get(store, `to/${name}`), "x");
    },
  },
  {
    name: "lists by prefix, folders and parts of names alike",
    async run(store) {
      for (const key of ["x/1", "x/12/a", "x/12/b", "x/2", "xy/1", "y/1"]) {
        await put(store, key, key);
      }
      const cases: readonly (readonly [string, readonly string[]])[] = [
        ["", ["x/1", "x/12/a", "x/12/b", "x/2", "xy/1", "y/1"]],
        ["x", ["x/1", "x/12/a", "x/12/b", "x/2", "xy/1"]],
        ["x/", ["x/1", "x/12/a", "x/12/b", "x/2"]],
        ["x/1", ["x/1", "x/12/a", "x/12/b"]],
        ["x/12/", ["x/12/a", "x/12/b"]],
        ["x/1/", []],
        ["z/", []],
      ];
      for (const [prefix, expected] of cases) {
        assert.deepEqual(await keysIn(store, prefix), expected, prefix);
      }
      for await (const info of store.list("x/2")) assert.equal(info.size, 3);
    },
  },
  {
    name: "lists what stays while others write and delete",
    async run(store) {
      const staying = Array.from({ length: 30 }, (_, index) => `s/${index % 5}/${index}`);
      for (const key of staying) await put(store, key, "stays");
      const churn = Array.from({ length: 20 }, async (_, index) => {
        await put(store, `s/churn-${index}/x`, "comes");
        await store.delete(parseObjectKey(`s/churn-${index}/x`));
      });
      const [listed] = await Promise.all([keysIn(store, "s/"), ...churn]);
      assert.ok(staying.every((key) => listed.includes(key)));
      assert.deepEqual(await keysIn(store, "s/"), staying.toSorted());
    },
  },
  {
    name: "writes into a folder that others empty at the same time",
    async run(store) {
      const rounds = Array.from({ length: 40 }, async (_, index) => {
        const key = parseObjectKey(`busy/folder/${index}`);
        await store.write(key, bytes("x"), { existing: index % 2 ? "replace" : "keep" });
        await store.delete(key);
      });
      await Promise.all(rounds);
      assert.deepEqual(await keysIn(store), []);
    },
  },
];

/** Contract tests of object stores for any test runner; each starts with an empty store. */
export const objectStoreContract: readonly ContractTest[] = [...reading, ...writing, ...naming];

async function* hanging(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("first");
  await new Promise(() => undefined);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : error;
}
