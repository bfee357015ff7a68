import { expect, test } from "vitest";
import { limitedBody } from "./limited-body.ts";

const MEBIBYTES_64 = Buffer.alloc(64 * 1024 * 1024);

test("ends an upload with the first byte over its limit", async () => {
  expect(await sizeOf(limitedBody(chunks(2), 2 * MEBIBYTES_64.length))).toBe(134_217_728);
  await expect(sizeOf(limitedBody(chunks(2), 100))).rejects.toThrow(/takes up to 100 bytes/);
});

test("a feed without a limit still takes nothing that never ends", async () => {
  await expect(sizeOf(limitedBody(chunks(Number.POSITIVE_INFINITY)))).rejects.toMatchObject({
    code: "too-large",
  });
});

async function* chunks(count: number) {
  for (let n = 0; n < count; n += 1) yield MEBIBYTES_64;
}

async function sizeOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  return size;
}
