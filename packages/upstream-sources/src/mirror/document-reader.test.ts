import { expect, test } from "vitest";
import { memoryParts, testSource } from "../testing/memory-parts.ts";
import type { FetchedDocument } from "./kept-after.ts";
import { openMirror } from "./mirror.ts";

test("remembers for a while that a source lacks a document, without a row", async () => {
  let time = Date.parse("2026-03-01T10:00:00Z");
  const source = testSource("npm", new URL("https://registry.example/"));
  const parts = memoryParts({ sources: [source], now: () => new Date(time) });
  const mirror = openMirror(parts);
  let calls = 0;
  let document: FetchedDocument = { status: "absent" };
  const read = async () => {
    const { status } = await mirror.documents.read({
      source,
      kind: "packument",
      name: "left-pad",
      part: "",
      async fetch() {
        calls += 1;
        return document;
      },
    });
    return status;
  };
  expect([await read(), await read()]).toEqual(["absent", "absent"]);
  expect(calls).toBe(1);
  expect(await parts.documents.dropAbsent(new Date(time + 1))).toBe(0);
  document = { status: "found", bytes: Buffer.from("{}") };
  time += source.settings.negativeForMs;
  expect([await read(), await read()]).toEqual(["found", "found"]);
  expect(calls).toBe(2);
});
