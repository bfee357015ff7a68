const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["year", 365 * 24 * 3_600],
  ["month", 30 * 24 * 3_600],
  ["day", 24 * 3_600],
  ["hour", 3_600],
  ["minute", 60],
];
const FORMAT = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** Formats a past time: `3 minutes ago`; `just now` under a minute and for future times. */
export function formatRelativeTime(time: Date, now: Date): string {
  const seconds = (now.getTime() - time.getTime()) / 1_000;
  for (const [unit, length] of UNITS) {
    if (seconds >= length) return FORMAT.format(-Math.floor(seconds / length), unit);
  }
  return "just now";
}
