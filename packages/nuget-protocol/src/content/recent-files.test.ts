import { expect, test } from "vitest";
import { createRecentFiles } from "./recent-files.ts";

const file = (size: number) => ({
  bytes: new Uint8Array(size),
  contentType: "text/plain",
  etag: String(size),
});

test("reads a file once for many who ask at the same time, and not again", async () => {
  const recent = createRecentFiles(100_000);
  let reads = 0;
  const read = async () => {
    reads += 1;
    return file(10);
  };
  const files = await Promise.all([recent("a", read), recent("a", read)]);
  expect(files[0]).toBe(files[1]);
  expect(await recent("a", read)).toBe(files[0]);
  expect(reads).toBe(1);
});

test("remembers that there is no such file, and no failure", async () => {
  const recent = createRecentFiles(100_000);
  await expect(recent("a", () => Promise.reject(new Error("no disk")))).rejects.toThrow("no disk");
  expect(await recent("a", async () => undefined)).toBeUndefined();
  expect(await recent("a", async () => file(1))).toBeUndefined();
});

test("removes the least recently used file first", async () => {
  const recent = createRecentFiles(3500);
  const reads: string[] = [];
  const ask = async (key: string, size = 600) =>
    recent(key, async () => {
      reads.push(key);
      return file(size);
    });
  for (const key of ["a", "b", "c", "a", "d"]) await ask(key);
  expect(reads).toEqual(["a", "b", "c", "d"]);
  await ask("a");
  await ask("b");
  expect(reads).toEqual(["a", "b", "c", "d", "b"]);
});

test("gives a file that is larger than all it may remember, and keeps it not", async () => {
  const recent = createRecentFiles(1000);
  let reads = 0;
  const read = async () => {
    reads += 1;
    return file(2000);
  };
  for (let time = 0; time < 2; time++)
    expect(await recent("a", read)).toMatchObject({ etag: "2000" });
  expect(reads).toBe(2);
});
