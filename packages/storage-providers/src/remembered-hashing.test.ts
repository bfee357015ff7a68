import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createBlobStore } from "./blob-store.ts";
import { startHashing } from "./digests.ts";
import { createMemoryStore } from "./memory.ts";
import { REMEMBERED_EVERY_BYTES, rememberStates } from "./remembered-hashing.ts";

const BYTES = randomBytes(6 * 1024 * 1024 + 123);
const OTHER_END = Buffer.from("another end");
const CHUNK_BYTES = 60_000;

async function* chunksOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

const digestsOf = (bytes: Uint8Array) => ({
  sha256: createHash("sha256").update(bytes).digest("hex"),
  sha512: createHash("sha512").update(bytes).digest("hex"),
});

test("a staged blob continues its hashes from a place near any later end", async () => {
  const blobs = createBlobStore(createMemoryStore(), { prefix: "nuget" });
  const options = { hashes: ["sha512"], remembersHashes: true } as const;
  await using staged = await blobs.stage(chunksOf(BYTES), options);
  expect(staged.digests).toEqual(digestsOf(BYTES));
  for (let end = BYTES.length; end > BYTES.length - 3_000_000; end -= 99_999) {
    const { at = 0, hashing } = staged.hashedUntil?.(end) ?? {};
    expect(end - at).toBeLessThan(REMEMBERED_EVERY_BYTES + CHUNK_BYTES + 1);
    expect(end - at).toBeGreaterThanOrEqual(0);
    hashing?.update(BYTES.subarray(at, end));
    hashing?.update(OTHER_END);
    const whole = Buffer.concat([BYTES.subarray(0, end), OTHER_END]);
    expect(hashing?.digests()).toEqual(digestsOf(whole));
  }
  expect(staged.hashedUntil?.(1_000_000), "far before the end").toBeUndefined();
});

test("small bodies, and others by default, have no remembered hashes", async () => {
  const blobs = createBlobStore(createMemoryStore(), { prefix: "nuget" });
  await using plain = await blobs.stage(chunksOf(BYTES));
  await using small = await blobs.stage(chunksOf(BYTES.subarray(0, 1_000)), {
    remembersHashes: true,
  });
  expect([plain.hashedUntil, small.hashedUntil]).toEqual([undefined, undefined]);
});

test("a beginning that is empty has no state", () => {
  const remembered = rememberStates(startHashing());
  remembered.update(BYTES.subarray(0, REMEMBERED_EVERY_BYTES));
  expect(remembered.hashedUntil(REMEMBERED_EVERY_BYTES)).toBeUndefined();
  remembered.update(OTHER_END);
  expect(remembered.hashedUntil(REMEMBERED_EVERY_BYTES)?.at).toBe(REMEMBERED_EVERY_BYTES);
  expect(remembered.hashedUntil(REMEMBERED_EVERY_BYTES - 1)).toBeUndefined();
});
