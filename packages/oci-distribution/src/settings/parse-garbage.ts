import type { Settings } from "@sealhouse/settings";
import { OCI_SETTINGS } from "./table.ts";

/** Settings of the garbage collector of container images. */
export type OciGarbageConfig = {
  /** Whether runs are scheduled. */
  readonly enabled: boolean;
  readonly dryRun: boolean;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
  /** Objects used within this time stay. */
  readonly minimumAgeMs: number;
  /** Milliseconds that manifests without a tag stay; `Infinity` for no limit. */
  readonly keepUntaggedMs: number;
};

export function parseOciGarbage(settings: Settings): OciGarbageConfig {
  const own = settings.of(OCI_SETTINGS);
  const keepUntagged = own.get("Feed__Operations__OciGarbageCollection__KeepUntaggedManifests");
  return {
    enabled: own.get("Feed__Operations__OciGarbageCollection__Enabled"),
    dryRun: own.get("Feed__Operations__OciGarbageCollection__DryRun"),
    everyMs: own.get("Feed__Operations__OciGarbageCollection__Interval"),
    minimumAgeMs: own.get("Feed__Operations__OciGarbageCollection__MinimumAge"),
    keepUntaggedMs: keepUntagged < 0 ? Number.POSITIVE_INFINITY : keepUntagged,
  };
}

/** Rule R1 of the collector: a positive answer moves a clock that is older than this. */
const CLOCK_THRESHOLD_MAX_MS = 3 * 60 * 60_000;

export function clockThresholdMs({ minimumAgeMs }: OciGarbageConfig): number {
  return Math.min(CLOCK_THRESHOLD_MAX_MS, minimumAgeMs / 8);
}
