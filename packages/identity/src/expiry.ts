import { TokenSettingError } from "./errors.ts";

/** What `sealhouse token create` uses when nothing else is said: one year. */
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
 * Reads when a token ends: a span (`12h`, `90d`, `8w`, `1y`), a date in UTC (`2027-01-31`, which
 * means its first moment, or `2027-01-31T12:00Z`), or `never`, which gives undefined.
 *
 * @throws TokenSettingError when it is none of these, or not in the future
 */
export function parseExpiry(text: string, now: Date): Date | undefined {
  const word = text.trim();
  if (word.toLowerCase() === "never") return undefined;
  const at = atSpan(word.toLowerCase(), now) ?? atDate(word.toUpperCase());
  if (!at) {
    throw new TokenSettingError(
      "expires",
      `${JSON.stringify(text)} is no time. Use a span such as 12h or 90d, a date such as ` +
        `2027-01-31, or never.`,
    );
  }
  checkExpiry(at, now);
  return at;
}

/** @throws TokenSettingError */
export function checkExpiry(at: Date, now: Date): void {
  const leftMs = at.getTime() - now.getTime();
  if (leftMs > 0 && leftMs <= LIFETIME_MAX_MS) return;
  const problem = leftMs > 0 ? "is more than 100 years away: use never" : "is not in the future";
  throw new TokenSettingError("expires", `The end of the token ${problem}.`);
}

function atSpan(word: string, now: Date): Date | undefined {
  const [, count, unit] = SPAN.exec(word) ?? [];
  const unitMs = UNITS_MS[unit ?? ""];
  return unitMs === undefined ? undefined : new Date(now.getTime() + Number(count) * unitMs);
}

function atDate(word: string): Date | undefined {
  if (!DATE.test(word)) return undefined;
  const at = new Date(word);
  // 2027-02-30 would quietly become a day in March.
  const real = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(word.slice(0, 10));
  return real ? at : undefined;
}
