import type { SettingsTable } from "@sealhouse/settings";

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** Settings of the retention of NuGet prereleases. */
export const RETENTION_SETTINGS = {
  Retention__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Applies the rules below to the NuGet prereleases published here, on a schedule; stable, " +
      "mirrored and cached versions always stay.",
  },
  Retention__MaxPrereleaseVersionsPerPackage: {
    kind: { type: "integer", min: 1, max: 1_000_000 },
    otherwise: "the number keeps nothing",
    about:
      "Number of prereleases of each package that stay, the newest by version, whatever their age.",
  },
  Retention__MaxPrereleaseAgeDays: {
    kind: { type: "integer", min: 1, max: 36_500 },
    otherwise: "the age keeps nothing",
    about: "Number of days that a prerelease stays after its publication.",
  },
  Retention__KeepDownloadedWithin: {
    kind: { type: "time-span", minMs: SECOND_MS, maxMs: 36_500 * DAY_MS },
    otherwise: "downloads keep nothing",
    about: "Time that a prerelease stays after its last download.",
  },
  Retention__ExcludedPackageIds: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "none",
    about: "Packages from which nothing goes, in any casing; `Acme.*` for all that begin so.",
  },
  Retention__DryRun: {
    kind: { type: "boolean" },
    fallback: "true",
    about: "Only logs what would be deleted or unlisted.",
  },
  Retention__ScanInterval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 365 * DAY_MS },
    fallback: "1.00:00:00",
    about: "How long after one run the next begins.",
  },
  Retention__Action: {
    kind: { type: "choice", values: ["Delete", "Unlist"] },
    fallback: "Delete",
    about: "Whether versions are deleted for good, or hidden from search.",
  },
} as const satisfies SettingsTable;
