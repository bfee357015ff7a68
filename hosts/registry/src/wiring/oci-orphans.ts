import type { Database } from "@sealhouse/database";
import type {
  ObjectStore,
  QuarantineOptions,
  QuarantineOutcome,
} from "@sealhouse/storage-providers";
import { quarantineUnnamed } from "@sealhouse/storage-providers";

const DAY_MS = 24 * 60 * 60_000;
/** Twice the longest time that an upload may take to get its row. */
const ORPHAN_AFTER_MS = 2 * DAY_MS;
/** Long enough to notice that the wrong backup of the database was restored. */
const HELD_FOR_MS = 7 * DAY_MS;

export type OrphanParts = {
  readonly database: Pick<Database, "blobs">;
  readonly store: ObjectStore;
  readonly now: () => Date;
};

/** Rule R13: image layers in the storage that no row names are set aside, and deleted a week later;
 * nothing else deletes what has no row. */
export function setOrphansAside(
  { database, store, now }: OrphanParts,
  options: Pick<QuarantineOptions, "changes" | "signal"> = {},
): Promise<QuarantineOutcome> {
  const at = now().getTime();
  return quarantineUnnamed(store, {
    ...options,
    prefix: "oci",
    olderThan: new Date(at - ORPHAN_AFTER_MS),
    heldSince: new Date(at - HELD_FOR_MS),
    isNamed: (keys) => database.blobs.isNamed(keys),
  });
}
