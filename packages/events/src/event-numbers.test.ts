import { expect, test } from "vitest";
import { openEventNumbers } from "./event-numbers.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.parse("2026-03-01T10:00:00Z");
const NONE = { waiting: 0, dead: 0 };

/** Numbers of a registry with one subscription, which has a delivery since the start. */
function openNumbers() {
  const clock = { ms: START_MS };
  const state = { isSent: false };
  const numbers = openEventNumbers({
    parked: { count: async () => NONE },
    mails: { count: async () => ({ waiting: 0, failed: 0 }) },
    webhooks: { list: async () => [] },
    deliveries: {
      count: async () => NONE,
      dueWebhooks: async (time) => (!state.isSent && time.getTime() >= START_MS ? ["w"] : []),
    },
    now: () => new Date(clock.ms),
  });
  const problemAfter = async (ms: number) => {
    clock.ms = START_MS + ms;
    await numbers.job.run(new AbortController().signal);
    return numbers.problems().webhooks;
  };
  return { problemAfter, state };
}

test("a webhook that sends nothing for ten minutes is a problem until it sends", async () => {
  const { problemAfter, state } = openNumbers();
  expect(await problemAfter(10 * MINUTE_MS - 1)).toBeUndefined();
  expect(await problemAfter(10 * MINUTE_MS)).toMatch(
    /^1 subscriptions send nothing for 10 minutes/,
  );
  state.isSent = true;
  expect(await problemAfter(11 * MINUTE_MS)).toBeUndefined();
});
