import { expect, test } from "vitest";
import { resumedBody } from "./resumed-body.ts";
import { createServiceCalls } from "./service-calls.ts";

const calls = createServiceCalls({ isRetryable: () => false, describe: (error) => error });

function bodyOf(chunks: readonly Uint8Array[], reuse: boolean) {
  return resumedBody(calls, {
    action: "read x",
    reuse,
    open: async () => ({ chunks: chunksOf(chunks) }),
  });
}

async function* chunksOf(chunks: readonly Uint8Array[]) {
  yield* chunks;
}

test("a chunk is freed when the next is requested, if the reader allows its reuse", async () => {
  const [first, second] = [new Uint8Array(10), new Uint8Array(10)];
  const body = bodyOf([first, second], true);
  await body.next();
  expect(first.length).toBe(10);
  await body.next();
  expect([first.length, second.length]).toEqual([0, 10]);
  await body.return();
  expect(second.length).toBe(10);
});

test("the memory of a chunk stays when the reader does not allow its reuse", async () => {
  const first = new Uint8Array(10);
  await Array.fromAsync(bodyOf([first, new Uint8Array(1)], false));
  expect(first.length).toBe(10);
});

test("a chunk that shares its memory stays", async () => {
  const memory = new Uint8Array(20);
  await Array.fromAsync(bodyOf([memory.subarray(0, 10), memory.subarray(10)], true));
  expect(memory.length).toBe(20);
});
