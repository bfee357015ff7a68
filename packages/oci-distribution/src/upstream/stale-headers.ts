import type { StaleContent } from "./ports.ts";

/** Returns the warnings for content that is not the newest of its source. */
export function staleHeaders(
  { stale, held }: StaleContent,
  now: Date = new Date(),
): Readonly<Record<string, string>> {
  const warnings = held === undefined ? [] : [`299 - "${held}"`];
  if (!stale) return held === undefined ? {} : { warning: warnings.join(", ") };
  const ageMs = now.getTime() - stale.checkedAt.getTime();
  return {
    warning: ['110 - "Response is Stale"', ...warnings].join(", "),
    age: String(Math.max(0, Math.floor(ageMs / 1000))),
    "x-sealhouse-stale": `${stale.source}; since=${stale.since.toISOString()}`,
  };
}
