import { parseExpiry } from "../expiry.ts";

/**
 * Users and teams that one name has as owners, readers included. Each change of the owners writes
 * all of them to an event and to documents.
 */
export const OWNERS_OF_NAME_MAX = 100;

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
