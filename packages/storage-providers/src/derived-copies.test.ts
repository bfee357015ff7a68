import { expect, test, vi } from "vitest";
import { COPY_LIFE_MS, createDerivedCopies, sweepCopies } from "./derived-copies.ts";
import { createMemoryStore } from "./memory.ts";
import { parseObjectKey } from "./object-store.ts";
import type { ObjectStore } from "./object-store.ts";

const FOLDER = "nuget/signed";
const DAY_MS = 24 * 60 * 60_000;
const EXPIRY = { expiresInMs: 60_000 };

function openCopies(own: Partial<ObjectStore> = {}) {
  const clock = { now: Date.now() };
  const now = () => new Date(clock.now);
  const memory = createMemoryStore({ now });
  const presign = async (key: string) => `https://bucket.example/${key}`;
  const store: ObjectStore = Object.assign(memory, { presign }, own);
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const copies = createDerivedCopies(store, { folder: FOLDER, onError, now });
  const sweep = () => sweepCopies(store, { folder: FOLDER, now: now() });
  return { clock, store, copies, errors, sweep };
}

function derived(text: string, etag = "abc-1") {
  const read = vi.fn(async function* () {
    yield Buffer.from(text);
  });
  return { etag, read };
}

test("the first call writes a copy, and later calls return its URL", async () => {
  const { store, copies } = openCopies();
  await using _ = copies;
  const bytes = derived("signed");
  expect(await copies.presign(bytes, EXPIRY)).toBeUndefined();
  const url = `https://bucket.example/${FOLDER}/abc-1`;
  await expect.poll(() => copies.presign(bytes, EXPIRY)).toBe(url);
  const body = await Array.fromAsync(store.bytes(parseObjectKey(`${FOLDER}/abc-1`)));
  expect(Buffer.concat(body).toString()).toBe("signed");
  expect(bytes.read).toHaveBeenCalledTimes(1);
  expect(await copies.presign(derived("other", "abc-2"), EXPIRY)).toBeUndefined();
});

test("concurrent calls write one copy", async () => {
  const { copies } = openCopies();
  await using _ = copies;
  const bytes = derived("signed");
  await Promise.all(Array.from({ length: 20 }, () => copies.presign(bytes, EXPIRY)));
  await expect.poll(() => copies.presign(bytes, EXPIRY)).toBeDefined();
  expect(bytes.read).toHaveBeenCalledTimes(1);
});

test("a copy is renewed a day before the sweep deletes it", async () => {
  const { clock, copies, sweep } = openCopies();
  await using _ = copies;
  const bytes = derived("signed");
  await copies.presign(bytes, EXPIRY);
  await expect.poll(() => copies.presign(bytes, EXPIRY)).toBeDefined();
  clock.now += COPY_LIFE_MS - DAY_MS + 1;
  expect(await copies.presign(bytes, EXPIRY)).toBeUndefined();
  await expect.poll(() => copies.presign(bytes, EXPIRY)).toBeDefined();
  clock.now += 2 * DAY_MS;
  expect(await sweep()).toBe(0);
  clock.now += COPY_LIFE_MS;
  expect(await sweep()).toBe(1);
});

test("a deleted copy is written again after a minute", async () => {
  const { clock, store, copies } = openCopies();
  await using _ = copies;
  const bytes = derived("signed");
  await copies.presign(bytes, EXPIRY);
  await expect.poll(() => copies.presign(bytes, EXPIRY)).toBeDefined();
  await store.delete(parseObjectKey(`${FOLDER}/abc-1`));
  clock.now += 60_000;
  expect(await copies.presign(bytes, EXPIRY)).toBeUndefined();
  await expect.poll(() => copies.presign(bytes, EXPIRY)).toBeDefined();
});

test("an error of the store is reported, and the next call tries again", async () => {
  const failing = openCopies({ write: () => Promise.reject(new Error("the store is away")) });
  await using _ = failing.copies;
  const bytes = derived("signed");
  expect(await failing.copies.presign(bytes, EXPIRY)).toBeUndefined();
  await expect.poll(() => failing.errors.length).toBe(1);
  expect(await failing.copies.presign(bytes, EXPIRY)).toBeUndefined();
  await expect.poll(() => failing.errors.length).toBe(2);
});

test("disposal aborts a copy that is being written", async () => {
  const { copies, store, errors } = openCopies();
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from("begun");
    await new Promise(() => undefined);
  };
  await copies.presign({ etag: "abc-1", read: body }, EXPIRY);
  await copies[Symbol.asyncDispose]();
  expect(errors).toEqual([]);
  expect(await store.stat(parseObjectKey(`${FOLDER}/abc-1`))).toBeUndefined();
});
