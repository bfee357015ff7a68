import { BoundedCache } from "@sealhouse/bounded-cache";
import type { SigningLog } from "./feed-options.ts";

const HOUR_MS = 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;
const LINES_PER_MINUTE = 30;
const REMEMBERED_MAX = 10_000;

export type RateLimitedWarnings = (
  warning: string,
  identity: { readonly id: string; readonly version: string },
) => void;

/**
 * Logs warnings about single packages, which downloads would repeat: each warning once an hour, and
 * at most 30 lines a minute in total. The next line has the number of withheld warnings.
 */
export function rateLimitedWarnings(
  log: Pick<SigningLog, "warn">,
  now: () => Date,
): RateLimitedWarnings {
  const age = { maxMs: HOUR_MS, now: () => now().getTime() };
  const logged = new BoundedCache<string, true>({ entries: REMEMBERED_MAX, age });
  let minute = { startedAt: Number.NEGATIVE_INFINITY, lines: 0 };
  let withheld = 0;
  return (warning, { id, version }) => {
    const timeMs = now().getTime();
    const key = `${id}/${version}: ${warning}`;
    if (logged.has(key)) return;
    if (timeMs - minute.startedAt >= MINUTE_MS) minute = { startedAt: timeMs, lines: 0 };
    if (minute.lines >= LINES_PER_MINUTE) {
      withheld += 1;
      return;
    }
    minute.lines += 1;
    logged.set(key, true);
    log.warn({ id, version, ...(withheld > 0 && { withheld }) }, warning);
    withheld = 0;
  };
}
