import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { createDocumentMemory } from "./document-memory.ts";

const answerOf = (revision: string, text: string) => ({
  status: "found" as const,
  revision: hash("sha256", revision),
  bytes: async () => Buffer.from(text),
  checkedAt: new Date(0),
});
const parse = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test("bytes of a newer revision are not remembered under the requested one", async () => {
  const remember = createDocumentMemory();
  expect(await remember("versions a", answerOf("old", "new"), parse)).toBe("new");
  expect(await remember("versions a", answerOf("old", "old"), parse)).toBe("old");
  const unread = {
    ...answerOf("old", "old"),
    bytes: () => Promise.reject(new Error("read again")),
  };
  expect(await remember("versions a", unread, parse)).toBe("old");
});
