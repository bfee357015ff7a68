import type { PackageSource } from "../sources/package-source.ts";
import type { SourceList } from "./ports.ts";

const CURRENT_FOR_MS = 2_000;

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
}): SourceList {
  let known: { readonly list: readonly PackageSource[]; readonly at: number } | undefined;
  let reading: Promise<readonly PackageSource[]> | undefined;
  const read = async () => {
    try {
      const list = await stored();
      known = { list: list.length > 0 ? list : configured, at: now().getTime() };
      return known.list;
    } catch (error) {
      if (known) return known.list;
      throw error;
    } finally {
      reading = undefined;
    }
  };
  return {
    current() {
      if (known && now().getTime() - known.at < CURRENT_FOR_MS) return Promise.resolve(known.list);
      reading ??= read();
      return reading;
    },
  };
}
