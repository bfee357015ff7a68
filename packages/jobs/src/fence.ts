import { AsyncLocalStorage } from "node:async_hooks";

/** The lease that the running code holds, and the fencing token it got with it. */
export type Fence = { readonly lease: string; readonly token: number };

const current = new AsyncLocalStorage<Fence>();

/**
 * The fence of the caller's leased work; undefined outside of such work. A database compares its
 * token with the row of the lease in every transaction, and refuses the change with a
 * `LostLeaseError` when they differ. So an instance that slept through the end of its lease can
 * change nothing.
 */
export function currentFence(): Fence | undefined {
  return current.getStore();
}

/** Runs `work` as work under `fence`, everything that it awaits and starts included. */
export function runFenced<T>(fence: Fence, work: () => T): T {
  return current.run(fence, work);
}
