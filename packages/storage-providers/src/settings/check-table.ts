import type { SettingsTable } from "@sealhouse/settings";

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** Settings of the scheduled storage check. */
export const CHECK_SETTINGS = {
  Feed__Operations__Check__Enabled: {
    kind: { type: "boolean" },
    fallback: "true",
    aliases: ["Feed__Operations__OciScrub__Enabled"],
    about:
      "Compares the storage with the database in the background, and reads every object once in " +
      "`VerifyEvery`. Damage is logged, audited and counted; nothing is deleted.",
  },
  Feed__Operations__Check__Interval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 365 * DAY_MS },
    fallback: "1.00:00:00",
    aliases: ["Feed__Operations__OciScrub__Interval"],
    about: "Time from the end of one check to the start of the next.",
  },
  Feed__Operations__Check__VerifyEvery: {
    kind: { type: "time-span", minMs: 0, maxMs: 3_650 * DAY_MS },
    fallback: "30.00:00:00",
    aliases: ["Feed__Operations__OciScrub__VerifyEvery"],
    about: "How often the check reads each object whole.",
  },
  Feed__Operations__Check__MaxBytesPerSecond: {
    kind: { type: "integer", min: 1024, max: Number.MAX_SAFE_INTEGER },
    otherwise: "1 MiB, or what reads the whole storage in half of `VerifyEvery`, if that is more",
    aliases: ["Feed__Operations__OciScrub__MaxBytesPerSecond"],
    about: "How many bytes the check reads in a second.",
  },
} as const satisfies SettingsTable;
