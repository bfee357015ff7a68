import { createHash, randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { memoryParts, testSource } from "../../testing/memory-parts.ts";
import { openMirror } from "../mirror.ts";
import type { DocumentKey, KeptDocument } from "../ports.ts";
import type { DocumentAsk } from "./document-ask.ts";
import { createDocumentBytes } from "./document-bytes.ts";
import { freshnessOf } from "./document-reader.ts";
import { keptAfter } from "./kept-after.ts";
import type { FetchedDocument } from "./kept-after.ts";

const NOW = new Date("2026-03-01T10:00:00Z");
const HOUR_MS = 60 * 60_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const [one, two] = [Buffer.from("one"), Buffer.from("two")];
const found = (bytes: Uint8Array, etag?: string): FetchedDocument => ({
  status: "found",
  bytes,
  etag,
});
const kept = (fields: Partial<KeptDocument> = {}): KeptDocument => ({
  status: "found",
  revision: hashOf(one),
  etag: '"1"',
  checkedAt: NOW,
  ...fields,
});

test("keeps the first answer with its hash and its entity tag", () => {
  expect(keptAfter(undefined, found(one, '"1"'), NOW)).toEqual({
    document: kept(),
    bytes: one,
    isChanged: true,
  });
});

test("other bytes replace a document; the same bytes only confirm it", () => {
  const at = later(1_000);
  expect(keptAfter(kept(), found(two, '"2"'), at)).toMatchObject({
    document: { revision: hashOf(two), etag: '"2"', checkedAt: at },
    bytes: two,
    isChanged: true,
  });
  const same = keptAfter(kept(), found(one, '"2"'), at);
  expect(same).toEqual({ document: kept({ etag: '"2"', checkedAt: at }), isChanged: false });
});

test("a source that confirms a document makes it current, and no longer gone", () => {
  const at = later(1_000);
  const { document, isChanged } = keptAfter(kept({ goneSince: NOW }), { status: "unchanged" }, at);
  expect([document, isChanged]).toEqual([kept({ checkedAt: at }), false]);
  expect(() => keptAfter(undefined, { status: "unchanged" }, at)).toThrow("304");
  const absent = kept({ status: "absent", revision: "" });
  expect(() => keptAfter(absent, { status: "unchanged" }, at)).toThrow("304");
});

test("a document is gone after two denials of its source, an hour apart", () => {
  const absent = { status: "absent" } as const;
  const first = keptAfter(kept(), absent, later(1)).document;
  expect(first).toEqual(kept({ checkedAt: later(1), goneSince: later(1) }));
  const again = keptAfter(first, absent, later(HOUR_MS)).document;
  expect(again).toMatchObject({ status: "found", goneSince: later(1) });
  const last = keptAfter(again, absent, later(HOUR_MS + 1));
  expect(last).toEqual({
    document: { status: "absent", revision: "", checkedAt: later(HOUR_MS + 1) },
    isChanged: true,
  });
  expect(keptAfter(undefined, absent, NOW).isChanged).toBe(false);
  expect(keptAfter(again, found(one), later(HOUR_MS)).document).not.toHaveProperty("goneSince");
});

const times = { revalidateAfterMs: 100, staleIfErrorMs: 1_000, negativeForMs: 10 };

test.each([
  ["found", 0, times, "fresh"],
  ["found", 99, times, "fresh"],
  ["found", 100, times, "old"],
  ["found", 999, times, "old"],
  ["found", 1_000, times, "expired"],
  ["found", 150, { ...times, staleIfErrorMs: 0 }, "expired"],
  ["absent", 9, times, "fresh"],
  ["absent", 10, times, "expired"],
] as const)("a document that is %s for %i ms is %j: %s", (status, ageMs, settings, expected) => {
  const document = { status, checkedAt: new Date(NOW.getTime() - ageMs) };
  expect(freshnessOf(document, settings, NOW)).toBe(expected);
});

const key: DocumentKey = {
  protocol: "npm",
  source: "s",
  kind: "packument",
  name: "left-pad",
  part: "",
};

test.each([
  ["small", Buffer.from("{}"), false],
  ["of 2 KiB", Buffer.alloc(2 * 1024, "a"), false],
  ["over 2 KiB", Buffer.alloc(2 * 1024 + 1, "a"), true],
  ["over 64 KiB", Buffer.alloc(64 * 1024 + 1, "a"), true],
  ["large and random", randomBytes(200_000), true],
])("stores a document that is %s once, and reads it without its source", async (...row) => {
  const [, bytes, isCompressed] = row;
  const revision = hashOf(bytes);
  let stored: Uint8Array | undefined;
  let reads = 0;
  const rows = {
    async bytes() {
      reads += 1;
      return stored;
    },
  };
  const writer = createDocumentBytes(rows);
  stored = await writer.pack(revision, bytes);
  expect(isCompressed ? gunzipSync(stored) : Buffer.from(stored)).toEqual(bytes);
  // The one that packed it remembers it.
  expect(Buffer.from(await writer.read(key, kept({ revision })))).toEqual(bytes);
  expect(reads).toBe(0);
  const reader = createDocumentBytes(rows);
  for (let time = 0; time < 2; time += 1) {
    expect(Buffer.from(await reader.read(key, kept({ revision })))).toEqual(bytes);
  }
  expect(reads).toBe(1);
});

test.each([
  ["smaller than the bytes", 10, true],
  ["larger than the bytes", 4_000, false],
])("gzip of a source that is %s becomes the row: %s", async (_, length, isTaken) => {
  const bytes = Buffer.alloc(3_000, "a");
  const gzip = Buffer.alloc(length, 1);
  const writer = createDocumentBytes({ bytes: async () => undefined });
  expect((await writer.pack(hashOf(bytes), bytes, gzip)) === gzip).toBe(isTaken);
});

test("bytes of a newer document are not remembered under the revision before", async () => {
  let stored: Uint8Array | undefined = two;
  const reader = createDocumentBytes({ bytes: async () => stored });
  expect(Buffer.from(await reader.read(key, kept()))).toEqual(two);
  stored = one;
  expect(Buffer.from(await reader.read(key, kept()))).toEqual(one);
  stored = undefined;
  expect(Buffer.from(await reader.read(key, kept()))).toEqual(one);
  await expect(reader.read(key, kept({ revision: "other" }))).rejects.toThrow(
    "the kept document of left-pad has no bytes",
  );
});

const source = testSource("npm", new URL("https://registry.example/"));
const askOf = (fetch: DocumentAsk["fetch"], more: Partial<DocumentAsk> = {}): DocumentAsk => ({
  source,
  kind: "packument",
  name: "left-pad",
  part: "",
  fetch,
  ...more,
});

/** Two instances with the same rows. */
function openInstances() {
  const clock = { ms: NOW.getTime() };
  const stale: string[] = [];
  const parts = memoryParts({
    sources: [source],
    now: () => new Date(clock.ms),
    onStale: (group) => stale.push(group),
  });
  return { clock, stale, parts, instances: [openMirror(parts), openMirror(parts)] as const };
}

test("two instances ask a source once for a document", async () => {
  const { instances, stale } = openInstances();
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  const ask = askOf(
    async () => {
      calls += 1;
      await gate.promise;
      return found(one);
    },
    { staleGroups: ["npm/left-pad"] },
  );
  const reads = instances.flatMap(({ documents }) => [documents.read(ask), documents.read(ask)]);
  await new Promise((resolve) => setTimeout(resolve, 120));
  gate.resolve();
  const answers = await Promise.all(reads);
  expect(calls).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual(["found", "found", "found", "found"]);
  for (const answer of answers) {
    if (answer.status === "found") expect(Buffer.from(await answer.bytes())).toEqual(one);
  }
  expect(stale).toEqual(["npm/left-pad"]);
});

test("an instance sees what another one has compared", async () => {
  const { clock, instances } = openInstances();
  const [first, second] = instances;
  await first.documents.read(askOf(async () => found(one)));
  clock.ms += HOUR_MS;
  const validators: unknown[] = [];
  const ask = askOf(async (known) => {
    validators.push(known);
    return found(two, '"2"');
  });
  const old = await second.documents.read({ ...ask, patienceMs: 1_000 });
  expect(old.status === "found" && Buffer.from(await old.bytes())).toEqual(two);
  const seen = await first.documents.read(ask);
  expect(seen.status === "found" && seen.revision).toBe(hashOf(two));
  clock.ms += HOUR_MS;
  await second.documents.read({ ...ask, patienceMs: 1_000 });
  expect(validators).toEqual([{}, { etag: '"2"' }]);
});

test("all who ask share a failure for five seconds", async () => {
  const { clock, instances } = openInstances();
  const [{ documents }] = instances;
  let calls = 0;
  const ask = askOf(async () => {
    calls += 1;
    throw new Error("a fault");
  });
  for (let time = 0; time < 3; time += 1) {
    await expect(documents.read(ask)).rejects.toThrow("a fault");
  }
  expect(calls).toBe(1);
  clock.ms += 5_000;
  await expect(documents.read(ask)).rejects.toThrow("a fault");
  expect(calls).toBe(2);
});

test("a document that takes too long for all its pages is a failure", async () => {
  const { parts } = openInstances();
  const impatient: typeof parts & { readonly answerMaxMs: number } = { ...parts, answerMaxMs: 20 };
  const mirror = openMirror(impatient);
  const ask = askOf(async (_, signal) => {
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
    return found(one);
  });
  await expect(mirror.documents.read(ask)).rejects.toThrow("takes too long to answer");
});

test("the end of the registry ends the calls to sources", async () => {
  const { instances } = openInstances();
  const [mirror] = instances;
  const begun = Promise.withResolvers<void>();
  const reading = mirror.documents.read(
    askOf(async (_, signal) => {
      begun.resolve();
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
      return found(one);
    }),
  );
  const failed = expect(reading).rejects.toThrow("the registry stops");
  await begun.promise;
  await mirror[Symbol.asyncDispose]();
  await failed;
});

test("compares a document again after a refused file, once a minute", async () => {
  const { clock, instances } = openInstances();
  const [{ documents }] = instances;
  const validators: unknown[] = [];
  const ask = askOf(async (known) => {
    validators.push(known);
    return found(one, '"1"');
  });
  await documents.read(ask);
  const recheck = async () => {
    documents.recheck(ask);
    await new Promise((resolve) => setImmediate(resolve));
    await documents.settled();
  };
  await recheck();
  await recheck();
  clock.ms += 60_001;
  await recheck();
  // The source must send it again, even one that it calls unchanged.
  expect(validators).toEqual([{}, {}, {}]);
});
