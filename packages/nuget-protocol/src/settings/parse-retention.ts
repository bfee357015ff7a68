import type { Settings } from "@sealhouse/settings";
import type { RetentionRules } from "../retention/plan-retention.ts";
import { RETENTION_SETTINGS } from "./retention-table.ts";

export type RetentionConfig = {
  /** Whether the host applies the rules by itself. */
  readonly enabled: boolean;
  readonly rules: RetentionRules;
  readonly dryRun: boolean;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
};

export function parseRetention(settings: Settings): RetentionConfig {
  const own = settings.of(RETENTION_SETTINGS);
  return {
    enabled: own.get("Retention__Enabled"),
    rules: {
      versionsMax: own.get("Retention__MaxPrereleaseVersionsPerPackage"),
      ageDaysMax: own.get("Retention__MaxPrereleaseAgeDays"),
      downloadedWithinMs: own.get("Retention__KeepDownloadedWithin"),
      excludedIds: own.get("Retention__ExcludedPackageIds"),
      action: own.get("Retention__Action"),
    },
    dryRun: own.get("Retention__DryRun"),
    everyMs: own.get("Retention__ScanInterval"),
  };
}

/** Whether any version can expire. */
export function hasRule({ versionsMax, ageDaysMax }: RetentionRules): boolean {
  return versionsMax !== undefined || ageDaysMax !== undefined;
}
