import { mkdtemp, readdir, rm } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createSpool } from "./spool.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-spool-"));
afterAll(() => rm(folder, { recursive: true }));

const KIB = 1024;

test.each([
  [0, 1],
  [1, 1],
  [100, 7],
  [768 * KIB, 64 * KIB],
  [768 * KIB + 1, 64 * KIB],
  [5_000_000, 3_000_000],
  [5_000_000, 10_007],
])("readers close behind and late ones get %i bytes in chunks of %i", async (size, chunkSize) => {
  const sent = randomBytes(size);
  await using spool = createSpool(join(folder, "transfers"));
  const collected = async (reuse: boolean) => {
    const chunks: Buffer[] = [];
    for await (const chunk of spool.read(undefined, { reuse })) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  };
  const early = collected(true);
  for (let offset = 0; offset < size; offset += chunkSize) {
    // The memory of a chunk belongs to its sender.
    const chunk = Buffer.from(sent.subarray(offset, offset + chunkSize));
    await spool.append(chunk);
    chunk.fill(0);
  }
  const late = collected(false);
  const range = { start: Math.floor(size / 3), end: Math.max(0, size - 2) };
  spool.finish();
  expect((await early).equals(sent)).toBe(true);
  expect((await late).equals(sent)).toBe(true);
  const part = Buffer.concat(await Array.fromAsync(spool.read(range)));
  expect(part.equals(sent.subarray(range.start, range.end + 1))).toBe(true);
  expect(await readdir(join(folder, "transfers")).catch(() => [])).toEqual([]);
});

test("a reader does not get the last 64 KiB of bytes that are not verified", async () => {
  await using spool = createSpool(folder, 1_000_000);
  const reading = (async () => {
    let bytes = 0;
    try {
      for await (const chunk of spool.read()) bytes += chunk.length;
      return { bytes };
    } catch (error) {
      return { bytes, error };
    }
  })();
  await spool.append(Buffer.alloc(1_000_000));
  await new Promise((resolve) => setImmediate(resolve));
  const error = new Error("wrong digest");
  spool.fail(error);
  expect(await reading).toEqual({ bytes: 1_000_000 - 64 * KIB, error });
});
