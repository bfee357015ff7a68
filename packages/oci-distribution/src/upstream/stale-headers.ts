import type { StaleContent } from "./ports.ts";

/** Returns the headers that say that content could not be compared with its source. */
export function staleHeaders(
  { stale }: StaleContent,
  now: Date = new Date(),
): Readonly<Record<string, string>> {
  if (!stale) return {};
  const ageMs = now.getTime() - stale.checkedAt.getTime();
  return {
    warning: '110 - "Response is Stale"',
    age: String(Math.max(0, Math.floor(ageMs / 1000))),
    "x-sealhouse-stale": `${stale.source}; since=${stale.since.toISOString()}`,
  };
}
