import { realDate } from "./real-date.ts";
import { invalidField } from "./refusal.ts";

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/**
 * Reads a span back from now (`12h`, `30d`), or a date with or without a time.
 *
 * @throws RefusedActionError
 */
export function timeIn(field: string, text: string, now: Date): Date {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs !== undefined) return new Date(now.getTime() - Number(count) * unitMs);
  const time = realDate(text);
  if (time) return time;
  throw invalidField(
    field,
    "must be a span such as 12h, 30d or 4w, or a date such as 2027-01-31 or 2027-01-31T12:00:00Z.",
  );
}
