import type { Settings } from "./settings.ts";

/** How garbage of container images is collected. */
export type OciGarbageConfig = {
  /** Whether the host does so by itself. */
  readonly enabled: boolean;
  readonly dryRun: boolean;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
  /** What was used less than so long ago stays. */
  readonly minimumAgeMs: number;
  /** How long manifests without a tag stay; `Infinity`: for ever. */
  readonly keepUntaggedMs: number;
};

export function parseOciGarbage(settings: Settings): OciGarbageConfig {
  const keepUntagged = settings.get(
    "Feed__Operations__OciGarbageCollection__KeepUntaggedManifests",
  );
  return {
    enabled: settings.get("Feed__Operations__OciGarbageCollection__Enabled"),
    dryRun: settings.get("Feed__Operations__OciGarbageCollection__DryRun"),
    everyMs: settings.get("Feed__Operations__OciGarbageCollection__Interval"),
    minimumAgeMs: settings.get("Feed__Operations__OciGarbageCollection__MinimumAge"),
    keepUntaggedMs: keepUntagged < 0 ? Number.POSITIVE_INFINITY : keepUntagged,
  };
}

/** Rule R1 of the collector: a positive answer moves a clock that is older than this. */
const CLOCK_THRESHOLD_MAX_MS = 3 * 60 * 60_000;

export function clockThresholdMs({ minimumAgeMs }: OciGarbageConfig): number {
  return Math.min(CLOCK_THRESHOLD_MAX_MS, minimumAgeMs / 8);
}
