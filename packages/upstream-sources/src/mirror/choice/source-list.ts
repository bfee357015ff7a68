import type { PackageSource } from "../../sources/package-source.ts";
import type { SourceList } from "../ports.ts";

const CURRENT_FOR_MS = 2_000;

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
  let known: { readonly list: readonly PackageSource[]; readonly at: number } | undefined;
  let reading: Promise<readonly PackageSource[]> | undefined;
  let changes = 0;
  const read = async () => {
    const before = changes;
    try {
      const found = await stored();
      const list = found.length > 0 ? found : configured;
      const at = changes === before ? now().getTime() : -Infinity;
      if (changes === before || !known) known = { list, at };
      return list;
    } catch (error) {
      if (known) return known.list;
      throw error;
    } finally {
      if (changes === before) reading = undefined;
    }
  };
  return {
    current() {
      if (known && now().getTime() - known.at < CURRENT_FOR_MS) return Promise.resolve(known.list);
      reading ??= read();
      return reading;
    },
    refresh() {
      changes += 1;
      reading = undefined;
      if (known) known = { ...known, at: -Infinity };
    },
  };
}
