import { quarantineUnnamed } from "./quarantine.ts";
import type { QuarantineOptions, QuarantineOutcome } from "./quarantine.ts";
import type { ObjectStore } from "./object-store.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Twice the longest time that an upload may take to get its row. */
const ORPHAN_AFTER_MS = 2 * DAY_MS;
/** A week, so that operators can notice a wrong database backup. */
const HELD_FOR_MS = 7 * DAY_MS;

/** The ports of the quarantine of unreferenced objects. */
export type OrphanPorts = {
  readonly store: ObjectStore;
  /** Returns those of the keys that a row references. */
  readonly isNamed: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly now: () => Date;
};

/** Quarantines objects below a prefix that no row references, and deletes them a week later. Rule
 * R13 of the collector: nothing else deletes an image layer without a row. */
export function setOrphansAside(
  { store, isNamed, now }: OrphanPorts,
  options: Pick<QuarantineOptions, "changes" | "signal" | "prefix">,
): Promise<QuarantineOutcome> {
  const timeMs = now().getTime();
  return quarantineUnnamed(store, {
    ...options,
    olderThan: new Date(timeMs - ORPHAN_AFTER_MS),
    heldSince: new Date(timeMs - HELD_FOR_MS),
    isNamed,
  });
}
