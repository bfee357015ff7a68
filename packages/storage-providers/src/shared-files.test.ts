import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ObjectKey, ObjectStore } from "./index.ts";
import { StorageError } from "./index.ts";
import { openFilesystemStore } from "./filesystem.ts";
import { createMemoryStore } from "./memory.ts";
import { expect, test } from "vitest";
import { createSharedFile } from "./shared-files.ts";

const PATH = "certs/own.pfx";
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

async function textIn(store: ObjectStore): Promise<string> {
  return Buffer.from((await createSharedFile(store, PATH).read()) ?? []).toString();
}

async function namesIn(store: ObjectStore): Promise<readonly string[]> {
  return (await Array.fromAsync(store.list("certs/"))).map(({ key }) => key);
}

/** Between any two calls others may run, in an order that the seed decides. */
function interleaved(store: ObjectStore, next: () => number, callsMax = Infinity): ObjectStore {
  let calls = 0;
  const turn = async (): Promise<void> => {
    calls += 1;
    if (calls > callsMax) await new Promise<never>(() => undefined);
    for (let waits = next() % 5; waits > 0; waits--) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const bytesLater = async function* (key: ObjectKey): AsyncGenerator<Uint8Array> {
    await turn();
    yield* store.bytes(key);
  };
  return {
    ...store,
    async read(key) {
      await turn();
      const storedObject = await store.read(key);
      // Like a file, an object may disappear between lookup and read.
      return storedObject && { ...storedObject, body: bytesLater(key) };
    },
    stat: async (key) => (await turn(), store.stat(key)),
    write: async (key, body, options) => (await turn(), store.write(key, body, options)),
    delete: async (key) => (await turn(), store.delete(key)),
  };
}

/** Numbers that are the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}

test.each(Array.from({ length: 100 }, (_, seed) => seed))(
  "one of several concurrent writers wins in any order: %i",
  async (seed) => {
    await using store = createMemoryStore();
    const before = bytes("before");
    await createSharedFile(store, PATH).write(before, undefined);
    const next = numbers(seed);
    // A kill ends one of them after a number of steps from the seed.
    void createSharedFile(interleaved(store, next, next() % 5), PATH).write(bytes("dead"), before);
    const outcomes = await Promise.all(
      ["a", "b", "c", "d"].map(async (text) => {
        const file = createSharedFile(interleaved(store, next), PATH);
        const outcome = await file.write(bytes(text), before);
        const read = Buffer.from((await file.read()) ?? []).toString();
        return { text, outcome, read };
      }),
    );
    const [{ read } = { read: "" }] = outcomes;
    expect(read).not.toBe("before");
    expect(outcomes.map((outcome) => outcome.read)).toEqual(outcomes.map(() => read));
    const winners = outcomes.filter(({ outcome }) => outcome === "written");
    expect(winners.length).toBeLessThanOrEqual(1);
    for (const { text } of winners) expect(text).toBe(read);
    expect(await namesIn(store)).toEqual([PATH]);
  },
);

const folder = await mkdtemp(join(tmpdir(), "sealhouse-certificate-"));

test.each([
  ["memory", async () => createMemoryStore()],
  ["files", async () => openFilesystemStore({ root: folder })],
])("replaces only the content that was read, in %s", async (_where, open) => {
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const store = opened.use(await open());
  const file = createSharedFile(store, PATH);
  expect(await file.read()).toBeUndefined();
  expect(await file.write(bytes("one"), undefined)).toBe("written");
  expect(await file.write(bytes("other"), undefined)).toBe("exists");
  expect(await file.write(bytes("two"), bytes("one"))).toBe("written");
  expect(await file.write(bytes("three"), bytes("one"))).toBe("exists");
  expect(await textIn(store)).toBe("two");
  // After a restored backup, the file is replaceable again.
  expect(await file.write(bytes("one"), bytes("two"))).toBe("written");
  expect(await file.write(bytes("four"), bytes("one"))).toBe("written");
  expect(await textIn(store)).toBe("four");
  expect(await namesIn(store)).toEqual([PATH]);
});

test("does not restore a file that was deleted since", async () => {
  await using store = createMemoryStore();
  expect(await createSharedFile(store, PATH).write(bytes("two"), bytes("one"))).toBe("exists");
  expect(await namesIn(store)).toEqual([]);
});

test("a claim that disappears belongs to a writer that has finished", async () => {
  await using memory = createMemoryStore();
  const file = createSharedFile(memory, PATH);
  await file.write(bytes("one"), undefined);
  const isClaim = (key: ObjectKey) => key !== PATH;
  // A third writer lays its own claim down at that very moment, so that looking again finds one.
  const store: ObjectStore = {
    ...memory,
    async write(key, body, options) {
      return isClaim(key) ? { status: "exists" } : memory.write(key, body, options);
    },
    async read(key) {
      if (!isClaim(key)) return memory.read(key);
      const info = { key, size: 3, modifiedAt: new Date() };
      return { info, body: gone() };
    },
    stat: async (key) => ({ key, size: 3, modifiedAt: new Date() }),
  };
  expect(await createSharedFile(store, PATH).write(bytes("two"), bytes("one"))).toBe("exists");
  expect(await textIn(memory)).toBe("one");
});

async function* gone(): AsyncGenerator<Uint8Array> {
  yield* [];
  throw new StorageError("storage-not-found", "it is not there");
}
