import { expect, test } from "vitest";
import { freshMemory, lentMemory } from "./chunk-memory.ts";

const MIB = 1024 * 1024;

test("fresh chunks are small, and never the same memory", () => {
  using memory = freshMemory();
  const [chunk, other] = [memory.next(MIB), memory.next(100)];
  expect([chunk.length, other.length]).toEqual([128 * 1024, 100]);
  expect(chunk.buffer).not.toBe(other.buffer);
});

test("lent chunks are large, and always the same memory", () => {
  using memory = lentMemory(10 * MIB);
  const [chunk, last] = [memory.next(10 * MIB), memory.next(100)];
  expect([chunk.length, last.length]).toEqual([512 * 1024, 100]);
  expect(chunk.buffer).toBe(last.buffer);
  using little = lentMemory(100);
  expect(little.next(100).buffer.byteLength).toBe(100);
});

test("a thousand concurrent downloads get small chunks, later ones large chunks", () => {
  {
    using all = new DisposableStack();
    const sizes = Array.from({ length: 1_000 }, () => {
      return all.use(lentMemory(10 * MIB)).next(10 * MIB).length;
    });
    expect(sizes.filter((size) => size === 512 * 1024)).toHaveLength(64);
    expect(sizes.filter((size) => size === 128 * 1024)).toHaveLength(936);
  }
  using memory = lentMemory(10 * MIB);
  expect(memory.next(10 * MIB)).toHaveLength(512 * 1024);
});
