import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { packageBytesOf, withTail } from "./package-bytes.ts";

test("the end of a file is read again after a failed read, and then once", async () => {
  const stored = packageBytesOf(Buffer.from("the end"));
  let reads = 0;
  const file = withTail({
    size: stored.size,
    read(range) {
      reads += 1;
      if (reads === 1) throw new Error("the store is unavailable");
      return stored.read(range);
    },
  });
  await expect(buffer(file.read({ start: 4, end: 6 }))).rejects.toThrow("unavailable");
  for (const _ of [1, 2]) {
    expect((await buffer(file.read({ start: 4, end: 6 }))).toString()).toBe("end");
  }
  expect(reads).toBe(2);
});
