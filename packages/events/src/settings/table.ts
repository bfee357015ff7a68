import type { SettingsTable } from "@sealhouse/settings";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Settings of the audit log. */
export const EVENT_SETTINGS = {
  Host__Audit__Retention: {
    kind: { type: "time-span", minMs: DAY_MS, maxMs: 36_500 * DAY_MS },
    otherwise: "records are kept forever",
    about: "How long records stay in the audit log; older ones are deleted within an hour.",
  },
} as const satisfies SettingsTable;
