import { documentOf } from "./rendered-document.ts";
import { createMemoryDocumentStore } from "./testing/index.ts";
import { expect, test } from "vitest";
import { bestEffortDocuments } from "./best-effort-documents.ts";

const address = { key: "k", group: "g", contentType: "text/plain" };

test("answers and logs a document that it cannot store", async () => {
  const full = new Error("database or disk is full");
  const broken = { ...createMemoryDocumentStore(), keep: () => Promise.reject(full) };
  const warned: unknown[] = [];
  const documents = bestEffortDocuments(broken, {
    warn: (facts: unknown) => void warned.push(facts),
  });
  const document = await documentOf(documents, address, async () => "hello");
  expect(Buffer.from(document?.identity ?? []).toString()).toBe("hello");
  expect(warned).toEqual([{ err: full, key: "k" }]);
});

test("stores a document where possible", async () => {
  const documents = bestEffortDocuments(createMemoryDocumentStore(), {
    warn: () => expect.unreachable(),
  });
  await documentOf(documents, address, async () => "first");
  const again = await documentOf(documents, address, async () => expect.unreachable());
  expect(Buffer.from(again?.identity ?? []).toString()).toBe("first");
});
