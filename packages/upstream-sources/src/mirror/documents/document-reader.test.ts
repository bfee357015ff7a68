import { expect, test } from "vitest";
import { memoryParts, testSource } from "../../testing/memory-parts.ts";
import type { FetchedDocument } from "./kept-after.ts";
import { TooManyAbsentError } from "../calls/absent-calls.ts";
import { openMirror } from "../mirror.ts";
import { UpstreamUnavailableError } from "../calls/upstream-error.ts";

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

test.each(["npm", "nuget", "oci"] as const)(
  "%s: only new names that no source has count for the caller, each once",
  async (protocol) => {
    const source = testSource(protocol, new URL("https://registry.example/"));
    const mirror = openMirror(memoryParts({ sources: [source] }));
    let counted = 0;
    let calls = 0;
    const count = (cost: 0 | 1) => {
      if (counted >= 2) return 7;
      counted += cost;
      return undefined;
    };
    const find = async (name: string) => {
      const found = await mirror.findFirst({ protocol, name }, (from) => ({
        source: from,
        kind: "packument",
        name,
        part: "",
        async fetch() {
          calls += 1;
          if (!name.startsWith("here")) return { status: "absent" };
          return { status: "found", bytes: Buffer.from("{}") };
        },
      }));
      return typeof found === "string" ? found : found.answer.status;
    };
    const ask = (name: string) => mirror.answerCounted(count, () => find(name));
    expect([await ask("here"), await ask("gone-1"), await ask("gone-1")]).toEqual([
      "found",
      "absent",
      "absent",
    ]);
    expect([counted, calls]).toEqual([1, 2]);
    expect([await ask("gone-2"), await ask("gone-1"), await ask("here")]).toEqual([
      "absent",
      "absent",
      "found",
    ]);
    await expect(ask("gone-3")).rejects.toMatchObject({ retryAfterSeconds: 7 });
    await expect(ask("here-too")).rejects.toThrow(TooManyAbsentError);
    expect(calls).toBe(3);
    // Work without a caller has no limit.
    expect(await find("gone-3")).toBe("absent");
  },
);
