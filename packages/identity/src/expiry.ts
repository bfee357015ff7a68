import { TokenSettingError } from "./errors.ts";

/** Default of `sealhouse token create`: one year. */
export const DEFAULT_EXPIRY = "365d";

const HOUR_MS = 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = {
  h: HOUR_MS,
  d: 24 * HOUR_MS,
  w: 7 * 24 * HOUR_MS,
  y: 365 * 24 * HOUR_MS,
};
const LIFETIME_MAX_MS = 100 * 365 * 24 * HOUR_MS;
const SPAN = /^(\d{1,6})([hdwy])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;

/**
 * Parses an expiry: a duration (`12h`, `90d`, `8w`, `1y`), a UTC date (`2027-01-31` at midnight, or
 * `2027-01-31T12:00Z`), or `never`, which returns undefined.
 *
 * @throws TokenSettingError when the text is invalid or the time is not in the future
 */
export function parseExpiry(text: string, now: Date): Date | undefined {
  const word = text.trim();
  if (word.toLowerCase() === "never") return undefined;
  const time = atSpan(word.toLowerCase(), now) ?? atDate(word.toUpperCase());
  if (!time) {
    throw new TokenSettingError(
      "expires",
      `${JSON.stringify(text)} is not a time. Use a duration such as 12h or 90d, a date such as ` +
        `2027-01-31, or never.`,
    );
  }
  checkExpiry(time, now);
  return time;
}

/** @throws TokenSettingError */
export function checkExpiry(expiry: Date, now: Date): void {
  const leftMs = expiry.getTime() - now.getTime();
  if (leftMs > 0 && leftMs <= LIFETIME_MAX_MS) return;
  const problem = leftMs > 0 ? "is more than 100 years away: use never" : "is not in the future";
  throw new TokenSettingError("expires", `The expiry of the token ${problem}.`);
}

function atSpan(word: string, now: Date): Date | undefined {
  const [, count, unit] = SPAN.exec(word) ?? [];
  const unitMs = UNITS_MS[unit ?? ""];
  return unitMs === undefined ? undefined : new Date(now.getTime() + Number(count) * unitMs);
}

function atDate(word: string): Date | undefined {
  if (!DATE.test(word)) return undefined;
  const time = new Date(word);
  // `Date` would accept 2027-02-30 as a day in March.
  const real = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(word.slice(0, 10));
  return real ? time : undefined;
}
