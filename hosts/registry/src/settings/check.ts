import type { Settings } from "./settings.ts";

export type CheckConfig = {
  /** Whether the host checks its storage by itself. */
  readonly enabled: boolean;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
  /** An object that was read so recently is not read again. */
  readonly verifyEveryMs: number;
  /** Undefined: as slowly as reads the whole storage in half of `verifyEveryMs`. */
  readonly bytesPerSecond?: number;
};

export function parseCheck(settings: Settings): CheckConfig {
  const bytesPerSecond = settings.get("Feed__Operations__Check__MaxBytesPerSecond");
  return {
    enabled: settings.get("Feed__Operations__Check__Enabled"),
    everyMs: settings.get("Feed__Operations__Check__Interval"),
    verifyEveryMs: settings.get("Feed__Operations__Check__VerifyEvery"),
    ...(bytesPerSecond !== undefined && { bytesPerSecond }),
  };
}
