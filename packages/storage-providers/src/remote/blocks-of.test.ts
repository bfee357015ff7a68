import { expect, test } from "vitest";
import { blocksOf } from "./blocks-of.ts";

async function* chunks(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let next = 0;
  for (const size of sizes) {
    yield Uint8Array.from({ length: size }, () => next++ % 256);
  }
}

async function blocksIn(body: AsyncIterable<Uint8Array>, size: (index: number) => number) {
  const blocks = [];
  for await (const { bytes, isLast, release } of blocksOf(body, size)) {
    blocks.push({ bytes: Buffer.from(bytes), isLast });
    release();
  }
  return blocks;
}

test.each([
  [[], [0]],
  [[0, 0], [0]],
  [[3], [3]],
  [[10], [10]],
  [[11], [10, 1]],
  [
    [4, 4, 4, 4, 4],
    [10, 10],
  ],
  [[35], [10, 10, 10, 5]],
])("chunks of %j bytes become blocks of %j", async (sizes, expected) => {
  const blocks = await blocksIn(chunks(...sizes), () => 10);
  expect(blocks.map(({ bytes }) => bytes.length)).toEqual(expected);
  expect(blocks.map(({ isLast }) => isLast)).toEqual(
    expected.map((_, i) => i === expected.length - 1),
  );
  const whole = Buffer.concat(await Array.fromAsync(chunks(...sizes)));
  expect(Buffer.concat(blocks.map(({ bytes }) => bytes))).toEqual(whole);
});

test("blocks may grow", async () => {
  const blocks = await blocksIn(chunks(100), (index) => 10 * 2 ** index);
  expect(blocks.map(({ bytes }) => bytes.length)).toEqual([10, 20, 40, 30]);
});

test("a released block is the memory of a later one, and no other is", async () => {
  const memory: ArrayBufferLike[] = [];
  const released: (() => void)[] = [];
  for await (const { bytes, release } of blocksOf(chunks(40), () => 10)) {
    memory.push(bytes.buffer);
    released.push(release);
    if (memory.length === 2) released[0]?.();
  }
  expect(memory[2]).toBe(memory[0]);
  expect(new Set(memory).size).toBe(3);
});

test("the body closes when the reader stops", async () => {
  let isClosed = false;
  const body = (async function* () {
    try {
      yield* chunks(30);
    } finally {
      isClosed = true;
    }
  })();
  for await (const _ of blocksOf(body, () => 10)) break;
  expect(isClosed).toBe(true);
});
