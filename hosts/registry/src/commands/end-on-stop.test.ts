import { expect, test } from "vitest";
import { StopRequest } from "../stop-request.ts";
import { endOnStop, stopOutcome } from "./end-on-stop.ts";

const NEVER = new Promise<number>(() => undefined);

test.each(["SIGINT", "SIGTERM"] as const)(
  "a command that does not end stops by %s",
  async (signal) => {
    const stop = new AbortController();
    const ended = endOnStop(NEVER, stop.signal, 1);
    stop.abort(new StopRequest(signal));
    await expect(ended).rejects.toThrow(`Stopped by ${signal}.`);
  },
);

test("the exit codes are those that shells report", () => {
  const outcomeOf = (signal: "SIGINT" | "SIGTERM") =>
    stopOutcome(AbortSignal.abort(new StopRequest(signal)));
  expect(outcomeOf("SIGINT")).toEqual({ sentence: "Stopped by SIGINT.", code: 130 });
  expect(outcomeOf("SIGTERM")).toEqual({ sentence: "Stopped by SIGTERM.", code: 143 });
});

test("a command that ends by itself keeps its exit code, except 0 and 1 after a stop", async () => {
  const running = new AbortController().signal;
  const stopped = AbortSignal.abort(new StopRequest("SIGINT"));
  expect(await endOnStop(Promise.resolve(0), running)).toBe(0);
  expect(await endOnStop(Promise.resolve(4), stopped)).toBe(4);
  for (const code of [0, 1]) {
    await expect(endOnStop(Promise.resolve(code), stopped)).rejects.toThrow("Stopped by SIGINT.");
  }
});
