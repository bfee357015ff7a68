import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallTimeoutError, createCallTimeouts } from "./call-timeouts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const IDLE_MS = 1_000;

/** With the timers that tests replace. */
const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A body whose chunks come at this pace. */
async function* body(chunkBytes: number, everyMs: number, chunks: number) {
  for (let sent = 0; sent < chunks; sent += 1) {
    await delay(everyMs);
    yield Buffer.alloc(chunkBytes);
  }
}

const CASES = [
  ["one byte at a time", body(1, 100, 50), CallTimeoutError],
  ["16 KiB just in time", body(16 * 1024, 900, 5), undefined],
  ["small pieces of 16 KiB in time", body(4 * 1024, 200, 50), undefined],
  ["a short body in time", body(1, 100, 8), undefined],
  ["nothing", body(1, 5_000, 1), CallTimeoutError],
] as const;

test.each(CASES)("limits the time of a body: %s", async (_, chunks, error) => {
  const timeouts = createCallTimeouts({}, IDLE_MS);
  const read = Array.fromAsync(timeouts.receiving(chunks)).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  await vi.advanceTimersByTimeAsync(60_000);
  const caught = await read;
  if (error) expect(caught).toBeInstanceOf(error);
  else expect(caught).toBeUndefined();
});

test("the time of the reader does not count", async () => {
  const timeouts = createCallTimeouts({}, IDLE_MS);
  const read = async () => {
    let received = 0;
    for await (const chunk of timeouts.receiving(body(10, 100, 5))) {
      received += chunk.length;
      await delay(5_000);
    }
    return received;
  };
  const reading = read();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await reading).toBe(50);
});
