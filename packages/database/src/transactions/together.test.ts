import { expect, test } from "vitest";
import { together } from "./together.ts";

test("returns the results in order", async () => {
  expect(await together([Promise.resolve("a"), 2, undefined])).toEqual(["a", 2, undefined]);
});

test("waits for all statements after a failure and throws the first error", async () => {
  const { promise: last, resolve } = Promise.withResolvers<void>();
  let isEnded = false;
  const slow = async () => {
    await last;
    isEnded = true;
    throw new Error("later");
  };
  const failing = together([slow(), Promise.reject(new Error("first"))]);
  setTimeout(resolve, 5);
  await expect(failing).rejects.toThrow("first");
  expect(isEnded).toBe(true);
});
