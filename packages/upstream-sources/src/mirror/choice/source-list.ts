import { createRefreshed } from "../../refreshed.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import type { SourceList } from "../ports.ts";

/** A list that is read again on demand. */
export type RefreshableSourceList = SourceList & {
  /** Makes the next call of `current` read the database. */
  refresh(): void;
};

/**
 * Combines the sources of the database and of the configuration. When the database has any source,
 * also a disabled one, the configuration has none. The database is read every two seconds at most;
 * while it fails, the last list stays.
 */
export function createSourceList({
  stored,
  configured,
  now,
}: {
  readonly stored: () => Promise<readonly PackageSource[]>;
  readonly configured: readonly PackageSource[];
  readonly now: () => Date;
}): RefreshableSourceList {
  return createRefreshed(async () => {
    const found = await stored();
    return found.length > 0 ? found : configured;
  }, now);
}
