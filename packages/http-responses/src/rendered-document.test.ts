import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { documentOf, renderDocument } from "./rendered-document.ts";
import { createMemoryDocumentStore, documentStoreContract } from "./testing/index.ts";

const json = { contentType: "application/json" };
const address = { ...json, key: "npm/x", group: "npm/x" };
const long = JSON.stringify(Array.from({ length: 500 }, (_, index) => ({ index })));

describe("the document store for tests", () => {
  for (const { name, run } of documentStoreContract) {
    test(name, async () => {
      const store = createMemoryDocumentStore();
      await run({ store, change: async (group) => store.change(group) });
    });
  }
});

test("renders a document once, and reads it from then on", async () => {
  const store = createMemoryDocumentStore();
  let rendered = 0;
  const render = async () => `rendered ${(rendered += 1)}`;
  const first = await documentOf(store, address, render);
  const second = await documentOf(store, address, render);
  expect(Buffer.from(first?.identity ?? "").toString()).toBe("rendered 1");
  expect(second).toEqual(first);
  store.change("npm/x");
  const third = await documentOf(store, address, render);
  expect(Buffer.from(third?.identity ?? "").toString()).toBe("rendered 2");
  expect(third?.etag).not.toBe(first?.etag);
});

test("renders once for many readers at the same time, and again after a failure", async () => {
  const store = createMemoryDocumentStore();
  let rendered = 0;
  const failing = async () => {
    rendered += 1;
    await sleep(5);
    throw new Error("no database");
  };
  const attempts = [1, 2, 3].map(() => documentOf(store, address, failing));
  expect((await Promise.allSettled(attempts)).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
    "rejected",
  ]);
  expect(rendered).toBe(1);
  expect(await documentOf(store, address, async () => "well")).toBeDefined();
});

test("does not show a reader who comes after a change what was rendered before it", async () => {
  const store = createMemoryDocumentStore();
  let state = "old";
  const render = async () => {
    const seen = state;
    await sleep(20);
    return seen;
  };
  const before = documentOf(store, address, render);
  await sleep(5);
  state = "new";
  store.change("npm/x");
  const after = await documentOf(store, address, render);
  expect(Buffer.from(after?.identity ?? "").toString()).toBe("new");
  expect(Buffer.from((await before)?.identity ?? "").toString()).toBe("old");
  expect(Buffer.from((await store.read("npm/x"))?.identity ?? "").toString()).toBe("new");
});

test("keeps nothing where there is nothing to render", async () => {
  const store = createMemoryDocumentStore();
  expect(await documentOf(store, address, async () => undefined)).toBeUndefined();
  expect(await documentOf(store, address, async () => "now there is")).toBeDefined();
});

test.each([long, long.repeat(10)])("keeps compressed forms of any size", async (text) => {
  const document = await renderDocument(text, json);
  expect(gunzipSync(document.gzip ?? "").toString()).toBe(text);
  expect(zstdDecompressSync(document.zstd ?? "").toString()).toBe(text);
});

test("keeps compressed forms of what is worth it alone", async () => {
  expect((await renderDocument("short", json)).gzip).toBeUndefined();
  expect((await renderDocument(long, { ...json, compress: false })).zstd).toBeUndefined();
  const noise = crypto.getRandomValues(new Uint8Array(5_000));
  expect(await renderDocument(noise, json)).not.toHaveProperty("gzip");
});

test("gives the same content the same entity tag, wherever it is rendered", async () => {
  const [storedDocument, two, other] = await Promise.all([
    renderDocument(long, { ...json, now: () => new Date(0) }),
    renderDocument(Buffer.from(long), json),
    renderDocument(`${long} `, json),
  ]);
  expect(storedDocument.etag).toMatch(/^[\w-]{27}$/);
  expect(two.etag).toBe(storedDocument.etag);
  expect(other.etag).not.toBe(storedDocument.etag);
  expect(storedDocument.modifiedAt).toEqual(new Date(0));
});
