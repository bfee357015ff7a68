import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { BLOCK_BYTES, LARGE_BLOCK_BYTES, writeInBlocks } from "./block-writing.ts";

const chunks = async function* (count: number, size: number) {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(size, index);
};

test.each([
  { count: 0, size: 1, writes: [] },
  { count: 1, size: 0, writes: [] },
  { count: 1, size: 1, writes: [1] },
  { count: BLOCK_BYTES, size: 1, writes: [BLOCK_BYTES] },
  { count: 300_000, size: 1, writes: [BLOCK_BYTES, 300_000 - BLOCK_BYTES] },
  { count: 5, size: 65_536, writes: [BLOCK_BYTES, 65_536] },
  { count: 1, size: 3 * BLOCK_BYTES + 1, writes: [BLOCK_BYTES, 2 * BLOCK_BYTES + 1] },
  {
    count: 1,
    size: BLOCK_BYTES + 2 * LARGE_BLOCK_BYTES + 1,
    writes: [BLOCK_BYTES, LARGE_BLOCK_BYTES, LARGE_BLOCK_BYTES, 1],
  },
])("writes $count chunks of $size bytes in blocks of $writes", async ({ count, size, writes }) => {
  const written: Uint8Array[] = [];
  const total = await writeInBlocks(chunks(count, size), async (block) => {
    written.push(Uint8Array.from(block));
  });
  expect(total).toBe(count * size);
  expect(written.map((block) => block.length)).toEqual(writes);
  expect(Buffer.concat(written)).toEqual(Buffer.concat(await Array.fromAsync(chunks(count, size))));
});

test("writes a block that fills slowly once a minute, without losing a byte", async () => {
  let time = 0;
  using _ = vi.spyOn(performance, "now").mockImplementation(() => time);
  const body = (async function* () {
    for await (const chunk of chunks(10, 100)) {
      time += 25_000;
      yield chunk;
    }
  })();
  const written: Uint8Array[] = [];
  await writeInBlocks(body, async (block) => void written.push(Uint8Array.from(block)));
  expect(written.map((block) => block.length)).toEqual([300, 300, 300, 100]);
  expect(Buffer.concat(written)).toEqual(Buffer.concat(await Array.fromAsync(chunks(10, 100))));
});

test("reads at most two blocks ahead of a slow disk", async () => {
  let requestedBytes = 0;
  let written = 0;
  let farthest = 0;
  const body = (async function* () {
    for await (const chunk of chunks(96, 64 * 1024)) {
      requestedBytes += chunk.length;
      farthest = Math.max(farthest, requestedBytes - written);
      yield chunk;
    }
  })();
  await writeInBlocks(body, async (block) => {
    await sleep(2);
    written += block.length;
  });
  expect(written).toBe(96 * 64 * 1024);
  expect(farthest).toBeLessThanOrEqual(2 * LARGE_BLOCK_BYTES + 64 * 1024);
});

test("propagates errors of the disk and closes the body", async () => {
  let closed = false;
  const body = (async function* () {
    try {
      yield* chunks(100, 64 * 1024);
    } finally {
      closed = true;
    }
  })();
  await expect(writeInBlocks(body, () => Promise.reject(new Error("full")))).rejects.toThrow(
    "full",
  );
  expect(closed).toBe(true);
});

test("waits for the current write before it propagates an error of the body", async () => {
  let inFlight = 0;
  const body = (async function* () {
    yield Buffer.alloc(BLOCK_BYTES);
    throw new Error("cut");
  })();
  const writing = writeInBlocks(body, async () => {
    inFlight += 1;
    await sleep(10);
    inFlight -= 1;
  });
  await expect(writing).rejects.toThrow("cut");
  expect(inFlight).toBe(0);
});

test("many concurrent bodies get small blocks, later ones large blocks", async () => {
  const body = async function* () {
    yield* chunks(1, BLOCK_BYTES + LARGE_BLOCK_BYTES);
    await sleep(50);
  };
  const sizesOf = async () => {
    const sizes: number[] = [];
    await writeInBlocks(body(), async (block) => void sizes.push(block.length));
    return sizes.toString();
  };
  const large = [BLOCK_BYTES, LARGE_BLOCK_BYTES].toString();
  const small = Array.from({ length: 5 }, () => BLOCK_BYTES).toString();
  const all = await Promise.all(Array.from({ length: 100 }, sizesOf));
  expect(all.filter((sizes) => sizes === large)).toHaveLength(32);
  expect(all.filter((sizes) => sizes === small)).toHaveLength(68);
  expect(await sizesOf()).toBe(large);
});
