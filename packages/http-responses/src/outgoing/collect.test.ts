import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { CallError } from "./call-error.ts";
import { collect } from "./collect.ts";

const MIB = 1024 * 1024;
const failure = (...args: ConstructorParameters<typeof CallError>) => new CallError(...args);

/** Reads an answer with as many bytes, packed. */
function read(bytes: number, maxBytes: number): Promise<Uint8Array> {
  async function* body() {
    yield gzipSync(Buffer.alloc(bytes, " "));
  }
  const answer = {
    url: new URL("http://source.test/"),
    status: 200,
    statusText: "",
    headers: new Headers(),
    body: body(),
    cancel: async () => undefined,
  };
  return collect(answer, { maxBytes, failure });
}

test.each([
  [MIB, 2 * MIB],
  [20 * MIB, 20 * MIB],
])("decompresses %i bytes of at most %i, also many times at once", async (bytes, maxBytes) => {
  const all = await Promise.all(Array.from({ length: 4 }, () => read(bytes, maxBytes)));
  expect(all.map(({ length }) => length)).toEqual([bytes, bytes, bytes, bytes]);
});

test.each([
  [3 * MIB, 2 * MIB],
  [20 * MIB, 10 * MIB],
])("refuses %i bytes of at most %i", async (bytes, maxBytes) => {
  const all = await Promise.allSettled(Array.from({ length: 4 }, () => read(bytes, maxBytes)));
  for (const each of all) expect(each).toMatchObject({ reason: { code: "too-large" } });
});
