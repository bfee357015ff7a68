import type { Advisory } from "./ports.ts";

/** Several sources tell the same: each statement once, with the highest severity that any of them
 * gives it, in an order that does not depend on who said it first. */
export function distinctAdvisories(advisories: readonly Advisory[]): readonly Advisory[] {
  if (advisories.length < 2) return advisories;
  const distinct = new Map<string, Advisory>();
  for (const advisory of advisories) {
    const key = `${advisory.url} ${advisory.versions}`;
    const knownAdvisory = distinct.get(key);
    if (!knownAdvisory || advisory.severity > knownAdvisory.severity) distinct.set(key, advisory);
  }
  return [...distinct]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, advisory]) => advisory);
}
