import type { Writes } from "./open-writes.ts";

/** MikroORM and everything that changes more than one row, loaded when it is first needed. */
export type OpenWrites = () => Promise<Writes>;

/** Opens once, however many ask at the same time; a failure is tried again by the next one. */
export function onFirstUse(open: () => Promise<Writes>): OpenWrites {
  let opening: Promise<Writes> | undefined;
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}
