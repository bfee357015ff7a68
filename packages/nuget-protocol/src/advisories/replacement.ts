import { TooManyAdvisoriesError } from "@sealhouse/advisories";
import { lowerId } from "../notation/package-id.ts";
import type { AdvisoryPage, NewAdvisory } from "./ports.ts";

/**
 * Maximum number of advisories of one source. The public databases have a few thousand about NuGet.
 */
export const ADVISORIES_MAX = 200_000;
/**
 * Bytes of the update page, which clients download with every audit: beyond this, a new base page
 * is made.
 */
const UPDATE_PAGE_MAX = 1000;

/** Advisories by what makes two of them the same. */
export type AdvisorySet<T = NewAdvisory> = ReadonlyMap<string, T>;

/** Changes that replace the advisories of one source. */
export type ReplacementPlan<Kept> = {
  readonly added: readonly NewAdvisory[];
  readonly removed: readonly Kept[];
  /** Lower-cased ids of packages about which something changes, ascending. */
  readonly ids: readonly string[];
  /** Page for additions. `base`: all advisories move there, because a new base page is made. */
  readonly page: AdvisoryPage;
};

/** Identity of an advisory within its source. Two advisories with one key are equal. */
export function advisoryKey({ id, severity, url, versions, advisoryId = "" }: NewAdvisory): string {
  return [lowerId(id), severity, versions, advisoryId, url].join("\n");
}

/** @throws {TooManyAdvisoriesError} */
export async function collectAdvisories(
  source: string,
  advisories: AsyncIterable<NewAdvisory> | Iterable<NewAdvisory>,
): Promise<AdvisorySet> {
  const collected = new Map<string, NewAdvisory>();
  for await (const advisory of advisories) {
    if (collected.size === ADVISORIES_MAX) {
      throw new TooManyAdvisoriesError(source, "NuGet", ADVISORIES_MAX);
    }
    collected.set(advisoryKey(advisory), { ...advisory, id: lowerId(advisory.id) });
  }
  return collected;
}

/**
 * Changes that make `newAdvisories` the complete set. `onUpdatePage` counts the current entries
 * there, of all sources.
 */
export function planReplacement<Kept extends { readonly id: string }>(
  keptAdvisories: AdvisorySet<Kept>,
  newAdvisories: AdvisorySet,
  onUpdatePage: number,
): ReplacementPlan<Kept> {
  const added = [...newAdvisories]
    .filter(([key]) => !keptAdvisories.has(key))
    .map(([, newAdvisory]) => newAdvisory);
  const removed = [...keptAdvisories]
    .filter(([key]) => !newAdvisories.has(key))
    .map(([, keptAdvisory]) => keptAdvisory);
  const ids = new Set([...added, ...removed].map(({ id }) => id));
  const fits = onUpdatePage + added.length <= UPDATE_PAGE_MAX;
  const addsOnly = removed.length === 0 && keptAdvisories.size > 0;
  return {
    added,
    removed,
    ids: [...ids].toSorted(),
    page: addsOnly && fits ? "update" : "base",
  };
}

/** Times of changes never go back and are never the same, whatever the clock does. */
export function timeAfter(times: readonly Date[], now: Date): Date {
  const last = times.reduce((latest, time) => Math.max(latest, time.getTime()), -Infinity);
  return new Date(Math.max(now.getTime(), last + 1));
}
