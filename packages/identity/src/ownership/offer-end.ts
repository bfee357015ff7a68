import { parseExpiry } from "../expiry.ts";

/** Longest life of an offer. */
export const OFFER_DAYS_MAX = 30;

/**
 * Parses the end of an offer. Undefined when it never ends, or later than in `OFFER_DAYS_MAX` days.
 *
 * @throws TokenSettingError when the text is invalid or the time is not in the future
 */
export function parseOfferEnd(text: string, now: Date): Date | undefined {
  const end = parseExpiry(text, now);
  return end && end.getTime() - now.getTime() <= OFFER_DAYS_MAX * 86_400_000 ? end : undefined;
}
