import type { RetentionRules } from "@sealhouse/nuget-protocol";
import type { Settings } from "./settings.ts";

export type RetentionConfig = {
  /** Whether the host applies the rules by itself. */
  readonly enabled: boolean;
  readonly rules: RetentionRules;
  readonly dryRun: boolean;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
};

export function parseRetention(settings: Settings): RetentionConfig {
  return {
    enabled: settings.get("Retention__Enabled"),
    rules: {
      versionsMax: settings.get("Retention__MaxPrereleaseVersionsPerPackage"),
      ageDaysMax: settings.get("Retention__MaxPrereleaseAgeDays"),
      excludedIds: settings.get("Retention__ExcludedPackageIds"),
      action: settings.get("Retention__Action"),
    },
    dryRun: settings.get("Retention__DryRun"),
    everyMs: settings.get("Retention__ScanInterval"),
  };
}

/** Without a rule nothing ever goes. */
export function hasRule({ versionsMax, ageDaysMax }: RetentionRules): boolean {
  return versionsMax !== undefined || ageDaysMax !== undefined;
}
