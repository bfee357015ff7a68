import { TokenSettingError } from "../errors.ts";
import { parseExpiry } from "../expiry.ts";

/** Days for which an offer may wait for the other side. */
const OFFER_DAYS_MAX = 30;
const OFFER_MS_MAX = OFFER_DAYS_MAX * 24 * 3_600_000;

/**
 * Returns when an offer ends.
 *
 * @throws TokenSettingError when the text is not a time within the next 30 days.
 */
export function parseOfferExpiry(text: string, now: Date): Date {
  const expiry = parseExpiry(text, now);
  if (expiry && expiry.getTime() - now.getTime() <= OFFER_MS_MAX) return expiry;
  const problem = `An offer ends after at most ${OFFER_DAYS_MAX} days: use a span, such as 14d.`;
  throw new TokenSettingError("expires", problem);
}
