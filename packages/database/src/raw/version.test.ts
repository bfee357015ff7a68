import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { combineCalls } from "./version.ts";

test("one query answers all calls of a turn of the event loop", async () => {
  const query = vi.fn(async () => query.mock.calls.length);
  const combined = combineCalls(query);
  expect(await Promise.all([combined(), combined(), combined()])).toEqual([1, 1, 1]);
  expect(await combined()).toBe(2);
});

test("a call during a query waits for the next query, whatever the first one returns", async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const query = vi.fn(() => answers[query.mock.calls.length - 1]?.promise ?? Promise.reject());
  const combined = combineCalls(query);
  const first = combined();
  await vi.waitFor(() => expect(query).toHaveBeenCalledTimes(1));
  const [second, third] = [combined(), combined()];
  await yieldToEventLoop();
  expect(query).toHaveBeenCalledTimes(1);
  answers[0]?.reject(new Error("lost"));
  answers[1]?.resolve("next");
  await expect(first).rejects.toThrow("lost");
  expect(await Promise.all([second, third])).toEqual(["next", "next"]);
  expect(query).toHaveBeenCalledTimes(2);
});
