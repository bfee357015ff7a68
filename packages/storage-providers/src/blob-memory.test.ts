import { expect, test, vi } from "vitest";
import { createBlobMemory } from "./blob-memory.ts";

const BYTES = Buffer.from("0123456789");
const BLOB = { key: "npm/blobs/a", size: BYTES.length };

function setUp(bytesMax = 1_000) {
  const read = vi.fn(async function* (key: string, range?: { start: number; end: number }) {
    const part = range ? BYTES.subarray(range.start, range.end + 1) : BYTES;
    if (key !== "") yield* [part.subarray(0, 4), part.subarray(4)];
  });
  return { read, memory: createBlobMemory({ read }, { bytesMax }) };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

test("caches a blob at its second read, and serves ranges from it", async () => {
  const { memory, read } = setUp();
  expect(await textOf(memory.read(BLOB))).toBe("0123456789");
  expect(memory.recall(BLOB.key)).toBeUndefined();
  expect(await textOf(memory.read(BLOB))).toBe("0123456789");
  expect(Buffer.from(memory.recall(BLOB.key) ?? []).toString()).toBe("0123456789");
  expect(await textOf(memory.read(BLOB))).toBe("0123456789");
  expect(await textOf(memory.read(BLOB, { start: 2, end: 4 }))).toBe("234");
  expect(read).toHaveBeenCalledTimes(2);
});

test("caches no ranges, no partial reads and no large blobs", async () => {
  const { memory } = setUp();
  for (let round = 0; round < 3; round += 1) {
    expect(await textOf(memory.read(BLOB, { start: 1, end: 8 }))).toBe("12345678");
  }
  for (let round = 0; round < 2; round += 1) {
    for await (const _ of memory.read(BLOB)) break;
  }
  expect(memory.recall(BLOB.key)).toBeUndefined();
  const small = setUp(8 * BYTES.length - 1).memory;
  for (let round = 0; round < 3; round += 1) await textOf(small.read(BLOB));
  expect(small.recall(BLOB.key)).toBeUndefined();
});

test("does not cache a blob with a wrong size", async () => {
  const { memory, read } = setUp();
  const blob = { ...BLOB, size: BYTES.length + 1 };
  for (let round = 0; round < 3; round += 1) await textOf(memory.read(blob));
  expect(memory.recall(BLOB.key)).toBeUndefined();
  expect(read).toHaveBeenCalledTimes(3);
});

test("drops the least recently used blob", async () => {
  const { memory } = setUp(8 * BYTES.length);
  const keys = Array.from({ length: 9 }, (_, index) => `blob-${index}`);
  for (const key of keys.slice(0, 8)) {
    for (let round = 0; round < 2; round += 1) await textOf(memory.read({ ...BLOB, key }));
  }
  memory.recall("blob-0");
  for (let round = 0; round < 2; round += 1) await textOf(memory.read({ ...BLOB, key: "blob-8" }));
  const gone = keys.filter((key) => memory.recall(key) === undefined);
  expect(gone).toEqual(["blob-1"]);
});

test("reports a missing blob", async () => {
  const read = () => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("not there")) }),
  });
  const memory = createBlobMemory({ read }, { bytesMax: 1_000 });
  for (let round = 0; round < 3; round += 1) {
    await expect(textOf(memory.read(BLOB))).rejects.toThrow("not there");
  }
});
