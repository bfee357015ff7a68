import type { DocumentStore, StoredDocument } from "@sealhouse/http-responses";
import { expect, test } from "vitest";
import { createAddressedDocuments } from "./addressed-documents.ts";

const FEED = "https://feed.example";

function documentOf(text: string): StoredDocument {
  const modifiedAt = new Date(0);
  return { etag: text, contentType: "text/plain", modifiedAt, identity: Buffer.from(text) };
}

function opened(memoryBytesMax?: number) {
  const rows = new Map<string, StoredDocument>();
  const revisions = new Map<string, number>();
  const store: DocumentStore = {
    read: async (key) => rows.get(key),
    revision: async (group) => revisions.get(group) ?? 0,
    keep: async ({ key, document }) => void rows.set(key, document),
  };
  const isLastingAddress = (url: string) => url === FEED || url.startsWith(`${FEED}/`);
  const options = memoryBytesMax === undefined ? {} : { memoryBytesMax };
  const documents = createAddressedDocuments(store, { isLastingAddress }, options);
  const keep = (key: string, text: string) =>
    documents.keep({ key, group: "demo", revision: 0, document: documentOf(text) });
  return { rows, revisions, documents, keep };
}

test("stores documents of lasting addresses as rows", async () => {
  const { rows, documents, keep } = opened();
  const keys = [`nuget/demo/2/versions@${FEED}`, `npm/full @acme/demo  ${FEED}/npm`];
  for (const key of keys) await keep(key, key);
  expect([...rows.keys()]).toEqual(keys);
  for (const key of keys) expect(await documents.read(key)).toEqual(documentOf(key));
});

test("stores documents of other addresses in memory, however many there are", async () => {
  const { rows, documents, keep } = opened(100_000);
  for (let index = 0; index < 1_000; index += 1) {
    await keep(`nuget/demo/2/versions@https://h${index}.example`, "x".repeat(1_000));
  }
  expect(rows.size).toBe(0);
  expect(await documents.read("nuget/demo/2/versions@https://h999.example")).toBeDefined();
  expect(await documents.read("nuget/demo/2/versions@https://h0.example")).toBeUndefined();
});

test("returns no document from memory after a change of its group", async () => {
  const { revisions, documents, keep } = opened();
  const key = "npm/full demo  https://other.example/npm";
  await keep(key, "before");
  expect(await documents.read(key)).toEqual(documentOf("before"));
  revisions.set("demo", 1);
  expect(await documents.read(key)).toBeUndefined();
});

test("a document larger than the memory is not stored", async () => {
  const { documents, keep } = opened(1_000);
  await keep("nuget/demo/2/versions@https://other.example", "x".repeat(2_000));
  expect(await documents.read("nuget/demo/2/versions@https://other.example")).toBeUndefined();
});
