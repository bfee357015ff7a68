import { createHash, randomBytes } from "node:crypto";
import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openFilesystemStore } from "../filesystem.ts";
import { createMemoryStore } from "../memory.ts";
import type { ObjectKey, ObjectStore } from "../object-store.ts";
import { parseObjectKey } from "../object-store.ts";
import { oneChunk } from "../one-chunk.ts";
import { StorageError } from "../storage-error.ts";
import { adoptStore, readMark, STORE_MARKER } from "../store-marker.ts";
import { openCopyJournal } from "./copy-journal.ts";
import { copyStore } from "./copy-store.ts";
import type { CopyDifference, StoreCopy } from "./copy-store.ts";
import { planCopy } from "./plan-copy.ts";

const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "store-copy-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const write = (store: ObjectStore, key: string, bytes: Uint8Array) =>
  store.write(parseObjectKey(key), oneChunk(bytes), { existing: "replace" });

function keyOf(bytes: Uint8Array): string {
  const hex = sha256Of(bytes);
  return `npm/blobs/sha256/${hex.slice(0, 2)}/${hex}.1f`;
}

async function contentsOf(store: ObjectStore): Promise<Readonly<Record<string, string>>> {
  const contents: Record<string, string> = {};
  for await (const { key } of store.list("")) {
    contents[key] = sha256Of(Buffer.concat(await Array.fromAsync(store.bytes(key))));
  }
  return contents;
}

/** The store, with the keys that were read and written. */
function recorded(store: ObjectStore) {
  const [readKeys, writtenKeys]: [ObjectKey[], ObjectKey[]] = [[], []];
  const recording: ObjectStore = {
    ...store,
    bytes(key, ...rest) {
      readKeys.push(key);
      return store.bytes(key, ...rest);
    },
    write(key, ...rest) {
      if (!key.startsWith("health/")) writtenKeys.push(key);
      return store.write(key, ...rest);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
  return { store: recording, readKeys, writtenKeys };
}

/** A source with five blobs, a certificate and objects of running requests. */
async function filledStore() {
  const from = createMemoryStore();
  const blobs = Array.from({ length: 5 }, (_, index) => randomBytes(100 * (index + 1)));
  for (const blob of blobs) await write(from, keyOf(blob), blob);
  const streamed = randomBytes(300_000);
  await write(from, "oci/blobs/streamed/0123456789abcdef.0", streamed);
  await write(from, "certs/repository-signing.pfx", randomBytes(50));
  await write(from, STORE_MARKER, Buffer.from("marker"));
  const kept = await contentsOf(from);
  await write(from, "health/1", randomBytes(3));
  await write(from, "oci/uploads/1/00.ff", randomBytes(3));
  await write(from, "npm/staging/ab", randomBytes(3));
  const digests = new Map([["oci/blobs/streamed/0123456789abcdef.0", sha256Of(streamed)]]);
  const digestsOf: StoreCopy["digestsOf"] = async (keys) =>
    new Map(
      keys.flatMap((key) => {
        const hex = digests.get(key);
        return hex === undefined ? [] : [[key, `sha256:${hex}`]];
      }),
    );
  return { from, kept, blobs, digestsOf };
}

type Run = Pick<StoreCopy, "from" | "to" | "digestsOf"> & Partial<StoreCopy>;

/** Copies with a journal in `folder`. */
async function runCopy(folder: string, run: Run) {
  await using journal = await openCopyJournal(join(folder, "journal"));
  const differences: CopyDifference[] = [];
  const onDifference = (difference: CopyDifference) => void differences.push(difference);
  const summary = await copyStore({ journal, concurrency: 3, onDifference, ...run });
  return { summary, differences };
}

test.each(["memory", "filesystem"])(
  "copies all objects but those of running requests: %s",
  async (kind) => {
    const folder = await newFolder();
    const { from, kept, digestsOf } = await filledStore();
    await using to =
      kind === "memory"
        ? createMemoryStore({ copiesOnMove: true })
        : await openFilesystemStore({ root: join(folder, "store") });
    const { writtenKeys, store } = recorded(to);
    const { summary, differences } = await runCopy(folder, { from, to: store, digestsOf });
    expect(await contentsOf(to)).toEqual(kept);
    expect(writtenKeys.at(-1)).toBe(STORE_MARKER);
    expect(differences).toEqual([]);
    const bytes = 100 + 200 + 300 + 400 + 500 + 300_000 + 50;
    expect(summary).toMatchObject({
      total: { count: 7, bytes },
      copied: { count: 7, bytes },
      verified: { count: 0 },
      known: { count: 0 },
      withoutDigest: { count: 1, bytes: 50 },
    });
  },
);

test("a second run reads nothing, and copies what is new or was written since", async () => {
  const folder = await newFolder();
  const { from, digestsOf } = await filledStore();
  const to = createMemoryStore();
  await runCopy(folder, { from, to, digestsOf });
  const source = recorded(from);
  const target = recorded(to);
  const stores = { from: source.store, to: target.store, digestsOf };
  expect((await runCopy(folder, stores)).summary).toMatchObject({
    known: { count: 7 },
    copied: { count: 0 },
    verified: { count: 0 },
  });
  expect([...source.readKeys, ...target.readKeys, ...target.writtenKeys]).toEqual([]);
  const added = randomBytes(10);
  await write(from, keyOf(added), added);
  await write(from, "certs/repository-signing.pfx", randomBytes(50));
  await runCopy(folder, stores);
  const changedKeys = [keyOf(added), "certs/repository-signing.pfx"];
  expect(target.writtenKeys.toSorted()).toEqual(changedKeys.toSorted());
  expect(await contentsOf(to)).toMatchObject({ [keyOf(added)]: sha256Of(added) });
});

test("without a journal, objects of the target are read, and wrong ones replaced", async () => {
  const folder = await newFolder();
  const { from, kept, blobs, digestsOf } = await filledStore();
  const to = createMemoryStore();
  await runCopy(folder, { from, to, digestsOf });
  await rm(join(folder, "journal"));
  const [, second = Buffer.alloc(0)] = blobs;
  await write(to, keyOf(second), randomBytes(second.length));
  await write(to, "certs/repository-signing.pfx", randomBytes(50));
  const { summary } = await runCopy(folder, { from, to, digestsOf });
  expect(summary).toMatchObject({ copied: { count: 2 }, verified: { count: 5 } });
  expect(await contentsOf(to)).toEqual(kept);
});

test("an object that was replaced at the target is not trusted, journal or not", async () => {
  const folder = await newFolder();
  const { from, kept, blobs, digestsOf } = await filledStore();
  const clock = { ms: Date.now() };
  const to = createMemoryStore({ now: () => new Date(clock.ms++) });
  await runCopy(folder, { from, to, digestsOf });
  const [first = Buffer.alloc(0)] = blobs;
  await write(to, keyOf(first), randomBytes(first.length));
  const { summary } = await runCopy(folder, { from, to, digestsOf });
  expect(summary).toMatchObject({ copied: { count: 1 }, known: { count: 6 } });
  expect(await contentsOf(to)).toEqual(kept);
});

test("damaged objects of the source are reported and not copied", async () => {
  const folder = await newFolder();
  const { from, kept, blobs, digestsOf } = await filledStore();
  const [first = Buffer.alloc(0)] = blobs;
  const streamedKey = "oci/blobs/streamed/0123456789abcdef.0";
  await write(from, keyOf(first), randomBytes(first.length));
  await write(from, streamedKey, randomBytes(300_000));
  const to = createMemoryStore();
  const { summary, differences } = await runCopy(folder, { from, to, digestsOf });
  const { [keyOf(first)]: _, [streamedKey]: __, ...sound } = kept;
  expect(await contentsOf(to)).toEqual(sound);
  expect(summary).toMatchObject({ damaged: { count: 2, bytes: 300_100 }, copied: { count: 5 } });
  expect(differences).toHaveLength(2);
  expect(differences).toContainEqual({ key: keyOf(first), size: 100, problem: "damaged" });
  // The next run reports them again.
  expect((await runCopy(folder, { from, to, digestsOf })).differences).toHaveLength(2);
});

test("an object that cannot be read or written is a difference, and the marker waits", async () => {
  const folder = await newFolder();
  const { from, kept, blobs, digestsOf } = await filledStore();
  const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = blobs;
  const target = createMemoryStore();
  const error = new StorageError("storage-unavailable", "no answer");
  const broken: ObjectStore = {
    ...from,
    async *bytes(key, ...rest) {
      if (key === keyOf(first)) throw error;
      yield* from.bytes(key, ...rest);
    },
  };
  const refusing: ObjectStore = {
    ...target,
    write: (key, ...rest) =>
      key === keyOf(second) ? Promise.reject(error) : target.write(key, ...rest),
  };
  const stores = { from: broken, to: refusing, digestsOf };
  const { summary, differences } = await runCopy(folder, stores);
  expect(summary).toMatchObject({ failed: { count: 2, bytes: 300 }, copied: { count: 5 } });
  const failed = { problem: "failed", error };
  expect(differences).toHaveLength(2);
  expect(differences).toEqual(
    expect.arrayContaining([
      { ...failed, key: keyOf(first), size: 100, store: "source" },
      { ...failed, key: keyOf(second), size: 200, store: "target" },
    ]),
  );
  expect(await target.stat(STORE_MARKER)).toBeUndefined();
  await runCopy(folder, { from, to: target, digestsOf });
  expect(await contentsOf(target)).toEqual(kept);
});

test("an object that was deleted during the copy is not a difference", async () => {
  const folder = await newFolder();
  const { from, kept, blobs, digestsOf } = await filledStore();
  const [first = Buffer.alloc(0)] = blobs;
  const source: ObjectStore = {
    ...from,
    async *bytes(key, ...rest) {
      if (key === keyOf(first)) await from.delete(key);
      yield* from.bytes(key, ...rest);
    },
  };
  const to = createMemoryStore();
  const { summary, differences } = await runCopy(folder, { from: source, to, digestsOf });
  expect([summary.gone, differences]).toEqual([{ count: 1, bytes: 100 }, []]);
  const { [keyOf(first)]: _, ...rest } = kept;
  expect(await contentsOf(to)).toEqual(rest);
});

test.each([
  ["20 failures in a row", "storage-unavailable", 20],
  ["a full target", "storage-full", 1],
] as const)("ends after %s", async (_, code, count) => {
  const folder = await newFolder();
  const { from, digestsOf } = await filledStore();
  for (let index = 0; index < 30; index += 1) {
    const blob = randomBytes(20);
    await write(from, keyOf(blob), blob);
  }
  const target = createMemoryStore();
  const error = new StorageError(code, "cannot write");
  const to: ObjectStore = {
    ...target,
    write: (key, ...rest) =>
      key.startsWith("health/") ? target.write(key, ...rest) : Promise.reject(error),
  };
  const differences: CopyDifference[] = [];
  const onDifference = (difference: CopyDifference) => void differences.push(difference);
  const running = runCopy(folder, { from, to, digestsOf, onDifference, concurrency: 1 });
  await expect(running).rejects.toBe(error);
  expect(differences).toHaveLength(count);
});

test("stops when the signal aborts, and continues in the next run", async () => {
  const folder = await newFolder();
  const { from, kept, digestsOf } = await filledStore();
  const to = createMemoryStore();
  const stop = new AbortController();
  const onProgress: StoreCopy["onProgress"] = ({ copied }) => {
    if (copied.count === 3) stop.abort(new Error("stopped"));
  };
  const { signal } = stop;
  const stopped = runCopy(folder, { from, to, digestsOf, signal, onProgress, concurrency: 1 });
  await expect(stopped).rejects.toThrow("stopped");
  expect(await to.stat(STORE_MARKER)).toBeUndefined();
  const { summary } = await runCopy(folder, { from, to, digestsOf });
  expect(summary).toMatchObject({ known: { count: 3 }, copied: { count: 4 } });
  expect(await contentsOf(to)).toEqual(kept);
});

test("refuses a target that is the source or inside it", async () => {
  const folder = await newFolder();
  const root = join(folder, "store");
  await using from = await openFilesystemStore({ root });
  await write(from, "npm/blobs/sha256/ab/ab.1", Buffer.from("bytes"));
  await write(from, STORE_MARKER, Buffer.from("marker"));
  await using same = await openFilesystemStore({ root });
  await using inside = await openFilesystemStore({ root: join(root, "npm", "copy") });
  const failure = { code: "storage-copy-same-store" };
  const digestsOf = async () => new Map<string, string>();
  await expect(runCopy(folder, { from, to: same, digestsOf })).rejects.toMatchObject(failure);
  await expect(runCopy(folder, { from, to: inside, digestsOf })).rejects.toMatchObject(failure);
  const keys = Object.keys(await contentsOf(from));
  expect(keys.toSorted()).toEqual(["npm/blobs/sha256/ab/ab.1", STORE_MARKER]);
});

test("refuses a source without a marker, such as an unmounted folder", async () => {
  const to = createMemoryStore();
  const digestsOf = async () => new Map<string, string>();
  const running = runCopy(await newFolder(), { from: createMemoryStore(), to, digestsOf });
  await expect(running).rejects.toMatchObject({ code: "storage-copy-unmarked" });
  expect(await contentsOf(to)).toEqual({});
});

test("a plan counts what a copy would write and read, and writes nothing", async () => {
  const folder = await newFolder();
  const { from, blobs, digestsOf } = await filledStore();
  const to = createMemoryStore();
  await using unused = await openCopyJournal(join(folder, "unused"));
  expect(await planCopy({ from, to, journal: unused })).toMatchObject({ missing: { count: 7 } });
  expect(await contentsOf(to)).toEqual({});
  await runCopy(folder, { from, to, digestsOf });
  const [first = Buffer.alloc(0)] = blobs;
  await to.delete(parseObjectKey(keyOf(first)));
  await using journal = await openCopyJournal(join(folder, "journal"));
  expect(await planCopy({ from, to, journal })).toEqual({
    missing: { count: 1, bytes: 100 },
    unverified: { count: 0, bytes: 0 },
    known: { count: 6, bytes: 301_450 },
  });
  expect(await planCopy({ from, to, journal: unused })).toMatchObject({ unverified: { count: 6 } });
});

test("a journal survives a torn last line, and another file is refused", async () => {
  const path = join(await newFolder(), "journal");
  const info = (key: string) => ({ key: parseObjectKey(key), size: 1, modifiedAt: new Date(0) });
  const pair = (key: string) => ({ source: info(key), target: info(key) });
  {
    await using journal = await openCopyJournal(path);
    for (let index = 0; index < 3_000; index += 1) await journal.add(pair(`a/${index}`));
  }
  const { length } = await readFile(path);
  await appendFile(path, "0123");
  {
    await using journal = await openCopyJournal(path);
    expect(journal.has(pair("a/0"))).toBe(true);
    expect(journal.has(pair("a/2999"))).toBe(true);
    expect(journal.has(pair("a/3000"))).toBe(false);
    await journal.add(pair("b"));
  }
  expect((await readFile(path)).length).toBe(length + 17);
  await truncate(path, length - 1);
  await using again = await openCopyJournal(path);
  expect(again.has(pair("a/2998"))).toBe(true);
  expect(again.has(pair("a/2999"))).toBe(false);
  await writeFile(path, "# Notes\n");
  await expect(openCopyJournal(path)).rejects.toMatchObject({ code: "storage-copy-bad-journal" });
  expect(await readFile(path, "utf8")).toBe("# Notes\n");
});

const markedBy = async (registryId: string | undefined) => {
  const { from, digestsOf } = await filledStore();
  if (registryId !== undefined) await adoptStore(from, registryId);
  return { from, digestsOf };
};

test.each([
  ["own", "own", "own"],
  ["own", undefined, "own"],
  [undefined, "own", "own"],
  [undefined, undefined, undefined],
])("with the id %s in the source and %s in the database, the target gets %s", async (...ids) => {
  const [sourceId, registryId, targetId] = ids;
  const source = await markedBy(sourceId);
  const to = createMemoryStore();
  const folder = await newFolder();
  for (let run = 0; run < 2; run += 1) {
    await runCopy(folder, { ...source, to, registryId });
    expect(await readMark(to)).toEqual({ registryId: targetId });
  }
});

test.each([
  ["source", "other", "own", undefined],
  ["target", "own", "own", "other"],
  ["target", "own", undefined, "other"],
  ["target", undefined, "own", "other"],
])("refuses a foreign %s: %s, %s, %s", async (store, sourceId, registryId, targetId) => {
  const source = await markedBy(sourceId);
  const to = createMemoryStore();
  if (targetId !== undefined) await adoptStore(to, targetId);
  const before = await contentsOf(to);
  const failure = { code: `storage-copy-foreign-${store}` };
  const run = { ...source, to, registryId };
  await expect(runCopy(await newFolder(), run)).rejects.toMatchObject(failure);
  const plan = planCopy({ ...run, journal: { has: () => false } });
  await expect(plan).rejects.toMatchObject(failure);
  expect(await contentsOf(to)).toEqual(before);
});
