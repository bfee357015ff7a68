import type { Settings } from "./settings.ts";

export type OciScrubConfig = {
  /** Whether the host checks its storage by itself. */
  readonly enabled: boolean;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
  /** An object that was read so recently is not read again. */
  readonly verifyEveryMs: number;
  readonly bytesPerSecond?: number;
};

export function parseOciScrub(settings: Settings): OciScrubConfig {
  const bytesPerSecond = settings.get("Feed__Operations__OciScrub__MaxBytesPerSecond");
  return {
    enabled: settings.get("Feed__Operations__OciScrub__Enabled"),
    everyMs: settings.get("Feed__Operations__OciScrub__Interval"),
    verifyEveryMs: settings.get("Feed__Operations__OciScrub__VerifyEvery"),
    ...(bytesPerSecond !== undefined && { bytesPerSecond }),
  };
}
