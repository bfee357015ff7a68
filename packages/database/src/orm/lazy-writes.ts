import type { Writes } from "./open-writes.ts";

/** Loads MikroORM and all changes of more than one row, on first use. */
export type OpenWrites = () => Promise<Writes>;

/** Opens once for concurrent calls; the next call retries after a failure. */
export function lazyWrites(open: () => Promise<Writes>): OpenWrites {
  let opening: Promise<Writes> | undefined;
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}
