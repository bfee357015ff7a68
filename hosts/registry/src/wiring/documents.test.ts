import { documentOf } from "@sealhouse/http-responses";
import { createMemoryDocumentStore } from "@sealhouse/http-responses/testing";
import { expect, test } from "vitest";
import { keptIfPossible } from "./documents.ts";

const address = { key: "k", group: "g", contentType: "text/plain" };

test("a document for which the database has no room is answered, and logged", async () => {
  const full = new Error("database or disk is full");
  const broken = { ...createMemoryDocumentStore(), keep: () => Promise.reject(full) };
  const warned: unknown[] = [];
  const documents = keptIfPossible(broken, { warn: (facts: unknown) => void warned.push(facts) });
  const document = await documentOf(documents, address, async () => "hello");
  expect(Buffer.from(document?.identity ?? []).toString()).toBe("hello");
  expect(warned).toEqual([{ err: full, key: "k" }]);
});

test("what can be kept is kept", async () => {
  const documents = keptIfPossible(createMemoryDocumentStore(), {
    warn: () => expect.unreachable(),
  });
  await documentOf(documents, address, async () => "first");
  const again = await documentOf(documents, address, async () => expect.unreachable());
  expect(Buffer.from(again?.identity ?? []).toString()).toBe("first");
});
