import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { CallError } from "./call-error.ts";
import { collect, receive } from "./collect.ts";

const MIB = 1024 * 1024;
const failure = (...args: ConstructorParameters<typeof CallError>) => new CallError(...args);

/** Reads an answer with as many bytes, packed. */
function read(bytes: number, maxBytes: number): Promise<Uint8Array> {
  return collect(answerWith(gzipSync(Buffer.alloc(bytes, " "))), { maxBytes, failure });
}

function answerWith(sent: Uint8Array) {
  async function* body() {
    yield sent;
  }
  return {
    url: new URL("http://source.test/"),
    status: 200,
    statusText: "",
    headers: new Headers(),
    body: body(),
    cancel: async () => undefined,
  };
}

test("returns the sent body, too, where it is gzip", async () => {
  const bytes = Buffer.alloc(50_000, "a");
  const gzip = gzipSync(bytes);
  const options = { maxBytes: MIB, failure };
  expect(await receive(answerWith(gzip), options)).toEqual({ bytes, gzip });
  expect(await receive(answerWith(bytes), options)).toEqual({ bytes });
});

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
