import type { Changes } from "../transactions/changes.ts";

/**
 * Settings of rule R1: a positive answer updates the time of use unless it is younger than
 * `thresholdMs`.
 */
export type Clock = { readonly now: () => Date; readonly thresholdMs: number };

export function clockOf({ now, clockThresholdMs }: Changes): Clock {
  return { now, thresholdMs: clockThresholdMs };
}

/** Whether the time of use must be updated before a positive answer. */
export function isDue(touchedAt: Date, { now, thresholdMs }: Clock): boolean {
  return now().getTime() - touchedAt.getTime() >= thresholdMs;
}
