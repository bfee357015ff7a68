import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryParts, testSource } from "../testing/index.ts";
import { createArrivals } from "./files/arrivals.ts";
import { createAbsentCalls } from "./calls/absent-calls.ts";
import { createDocumentReader } from "./documents/document-reader.ts";
import { createOwnCalls } from "./calls/own-calls.ts";
import { createSourceCalls } from "./calls/source-calls.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ownCalls = createOwnCalls("test");
const source = testSource("oci", new URL("http://upstream.test/"));

/** Rejects with the reason of the signal when it aborts. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

/** Parts whose lease ends as soon as it must be extended. */
function partsWithoutDatabase() {
  const parts = memoryParts({ sources: [source] });
  const acquire = parts.leases.acquire.bind(parts.leases);
  vi.spyOn(parts.leases, "acquire").mockImplementationOnce(acquire).mockResolvedValue(undefined);
  return parts;
}

/** Reads a document whose source answers without an end. */
function read(parts: ReturnType<typeof memoryParts>): Promise<unknown> {
  const calls = createSourceCalls(parts);
  const { signal: stop } = new AbortController();
  const fetch = (_: unknown, signal: AbortSignal) => untilAborted(signal);
  const ask = { source, kind: "tags", name: "team/app", part: "", fetch };
  return createDocumentReader({
    ...parts,
    calls,
    ownCalls,
    absentCalls: createAbsentCalls(),
    stop,
  }).read(ask);
}

async function* oneByte(signal: AbortSignal) {
  yield Buffer.from("a");
  yield await untilAborted(signal);
}

/** Reads a file of which only a byte comes. */
async function transfer({ leases }: ReturnType<typeof memoryParts>): Promise<void> {
  await using arrivals = createArrivals({ leases, ownCalls, folder: tmpdir() });
  const answer = await arrivals.fetch({
    key: "file",
    source: source.name,
    maxBytes: 100,
    isKept: async () => false,
    open: async (signal) => ({
      size: 10,
      body: oneByte(signal),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  });
  if (answer.status === "arriving") for await (const _ of answer.content.read());
}

const UNAVAILABLE = { code: "upstream-unavailable", source: "upstream" };

test("ends the answer of a source whose pages never end", async () => {
  const reading = expect(read(memoryParts({ sources: [source] }))).rejects.toMatchObject({
    ...UNAVAILABLE,
    message: expect.stringContaining("takes too long to answer"),
  });
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  await reading;
});

test.each([
  ["a document", read],
  ["a file", transfer],
])("%s counts as unavailable when the lease is lost", async (_, work) => {
  const working = expect(work(partsWithoutDatabase())).rejects.toMatchObject({
    ...UNAVAILABLE,
    message: expect.stringContaining("lost its database"),
  });
  await vi.advanceTimersByTimeAsync(10_000);
  await working;
});
