import type { Job } from "@sealhouse/jobs";
import type { FutureTimes } from "./future-times.ts";

const FIRST_AFTER_MS = 5_000;
const EVERY_MS = 5 * 60_000;

/**
 * Corrects the times of waiting work after the start and every five minutes: a clock that was ahead
 * for a moment must not hold back deliveries, mails, releases and uploads for as long. Each
 * instance does it, because a repeated correction changes nothing.
 */
export function futureTimesJob(parts: {
  readonly futureTimes: FutureTimes;
  readonly log: { warn(fields: object, message: string): void };
  readonly now: () => Date;
}): Job {
  const { futureTimes, log, now } = parts;
  const run = async () => {
    const rows = await futureTimes.correct(now());
    if (rows > 0) log.warn({ rows }, "a clock was ahead: work that waited for it is due now");
  };
  return { name: "future-times", firstAfterMs: FIRST_AFTER_MS, everyMs: EVERY_MS, run };
}
