import type { SourceError } from "../ports.ts";

/** Errors of a source that are kept; a list that is full means "or more". */
export const RECENT_ERRORS_MAX = 50;
const HOUR_MS = 60 * 60_000;
const WORDS_MAX = 400;

/** The errors of the last hour, the newest first. */
export function recentOf(errors: readonly SourceError[], now: Date): readonly SourceError[] {
  const since = now.getTime() - HOUR_MS;
  return errors
    .filter(({ at }) => at.getTime() > since)
    .toSorted((a, b) => b.at.getTime() - a.at.getTime())
    .slice(0, RECENT_ERRORS_MAX)
    .map(({ at, words }) => ({ at, words: words.slice(0, WORDS_MAX) }));
}

/** The errors that two instances know, each once. */
export function mergedErrors(
  errors: readonly SourceError[] = [],
  others: readonly SourceError[] = [],
  now: Date,
): readonly SourceError[] {
  const all = [...errors, ...others];
  const byKey = new Map(all.map((one) => [`${one.at.getTime()} ${one.words}`, one]));
  return recentOf([...byKey.values()], now);
}
