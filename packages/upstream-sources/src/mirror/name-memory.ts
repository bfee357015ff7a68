import { BoundedCache } from "@sealhouse/bounded-cache";
import type { OwnCalls } from "./calls/own-calls.ts";

/** State of a name until it has to be looked up again. */
export type RememberedName<State> = { readonly until: number; readonly state: State };

/** Remembers states of names in memory, so that most reads ask nothing. */
export type NameMemory<State> = {
  /** Undefined when nothing is known, or no longer. */
  get(name: string): State | undefined;
  /** The state that was set last, however long ago. */
  last(name: string): State | undefined;
  set(name: string, remembered: RememberedName<State>): void;
};

const NAMES_MAX = 50_000;

/**
 * Creates a memory of the 50,000 names that were used last. `now` is in milliseconds. Requests
 * whose answers are not for everyone do not change it.
 */
export function createNameMemory<State>(
  now: () => number,
  { ownCalls }: { readonly ownCalls: Pick<OwnCalls, "isForEveryone" | "readsShared"> },
): NameMemory<State> {
  const names = new BoundedCache<string, RememberedName<State>>({ entries: NAMES_MAX });
  const find = (name: string) => (ownCalls.readsShared() ? names.get(name) : undefined);
  return {
    get(name) {
      const remembered = find(name);
      return remembered && now() < remembered.until ? remembered.state : undefined;
    },
    last: (name) => find(name)?.state,
    set(name, remembered) {
      if (ownCalls.isForEveryone()) names.set(name, remembered);
    },
  };
}
