import type { GarbageLeases } from "./ports.ts";
import { LostLeaseError } from "./ports.ts";

/** Longer than any single step of a run, so that renewing between steps is enough; after a crash,
 * the next run waits so long. */
const LEASE_MS = 10 * 60_000;

export type HeldLease = AsyncDisposable & {
  readonly name: string;
  readonly fence: number;
  /** To be called between steps. Rejects with a `LostLeaseError` when another runner has it. */
  renew(): Promise<void>;
};

/** Undefined when another runner holds it. Disposal gives it up. */
export async function holdLease(
  leases: GarbageLeases,
  wanted: { readonly name: string; readonly holder: string; readonly now: () => number },
): Promise<HeldLease | undefined> {
  const { name, holder, now } = wanted;
  let acquiredAt = now();
  const fence = await leases.acquire(name, holder, LEASE_MS);
  if (fence === undefined) return undefined;
  return {
    name,
    fence,
    async renew() {
      if (now() - acquiredAt < LEASE_MS / 3) return;
      acquiredAt = now();
      // A higher number: it ran out in between, and writes under the old one are refused.
      if ((await leases.acquire(name, holder, LEASE_MS)) !== fence) throw new LostLeaseError(name);
    },
    // What cannot be given up runs out by itself.
    [Symbol.asyncDispose]: () => leases.release(name, holder).catch(() => undefined),
  };
}
