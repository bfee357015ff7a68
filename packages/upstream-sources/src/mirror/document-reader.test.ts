import { expect, test } from "vitest";
import { memoryParts, testSource } from "../testing/memory-parts.ts";
import type { FetchedDocument } from "./kept-after.ts";
import { openMirror } from "./mirror.ts";
import { UpstreamUnavailableError } from "./upstream-error.ts";

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

test("an old document replaces the answer of a failing source, and no other error", async () => {
  let time = Date.parse("2026-03-01T10:00:00Z");
  const source = testSource("npm", new URL("https://registry.example/"));
  const mirror = openMirror(memoryParts({ sources: [source], now: () => new Date(time) }));
  let fetch = async (): Promise<FetchedDocument> => ({
    status: "found",
    bytes: Buffer.from("{}"),
  });
  const isEnough = () => false;
  const ask = { source, kind: "packument", name: "left-pad", part: "" } as const;
  const read = () => mirror.documents.read({ ...ask, isEnough, fetch: () => fetch() });
  await read();
  time += source.settings.revalidateAfterMs / 2;
  fetch = () => Promise.reject(new TypeError("a fault of this registry"));
  await expect(read()).rejects.toThrow(TypeError);
  time += 10_000;
  fetch = () => Promise.reject(new UpstreamUnavailableError("upstream", "fails", 1));
  expect(await read()).toMatchObject({ status: "found" });
});
