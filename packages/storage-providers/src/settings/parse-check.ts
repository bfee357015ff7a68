import type { Settings } from "@sealhouse/settings";
import { CHECK_SETTINGS } from "./check-table.ts";

export type CheckConfig = {
  /** Whether the host runs scheduled checks. */
  readonly enabled: boolean;
  /** Milliseconds from the end of one run to the start of the next. */
  readonly everyMs: number;
  /** Milliseconds after which an object is verified again. */
  readonly verifyEveryMs: number;
  /** Undefined selects the rate that reads the whole storage in half of `verifyEveryMs`. */
  readonly bytesPerSecond?: number;
};

export function parseCheck(settings: Settings): CheckConfig {
  const own = settings.of(CHECK_SETTINGS);
  const bytesPerSecond = own.get("Feed__Operations__Check__MaxBytesPerSecond");
  return {
    enabled: own.get("Feed__Operations__Check__Enabled"),
    everyMs: own.get("Feed__Operations__Check__Interval"),
    verifyEveryMs: own.get("Feed__Operations__Check__VerifyEvery"),
    ...(bytesPerSecond !== undefined && { bytesPerSecond }),
  };
}
