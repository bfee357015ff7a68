import { randomUUID } from "node:crypto";
import type { Database } from "@sealhouse/database";

export type RetentionEnd<Summary> =
  | { readonly status: "ended"; readonly summary: Summary }
  /** Another instance is at it. */
  | { readonly status: "busy" };

type LeasedRetention<Step, Summary> = {
  /** What the lease is called. */
  readonly lease: string;
  /** Not called where another instance is at it. */
  readonly start: (now: Date) => AsyncIterator<Step, Summary>;
  readonly onStep: (step: Step) => void;
};

const MINUTE_MS = 60_000;
const LEASE_MS = 30 * MINUTE_MS;
/** Well before the lease runs out, however long one step takes. */
const RENEW_AFTER_MS = LEASE_MS / 3;

/** Goes through one run to its end, on one instance at a time. */
export async function runLeased<Step, Summary>(
  { database, now }: { readonly database: Pick<Database, "leases">; readonly now: () => Date },
  { lease, start, onStep }: LeasedRetention<Step, Summary>,
): Promise<RetentionEnd<Summary>> {
  const { leases } = database;
  const holder = randomUUID();
  if ((await leases.acquire(lease, holder, LEASE_MS)) === undefined) return { status: "busy" };
  try {
    const running = start(now());
    let heldAt = now().getTime();
    for (;;) {
      const next = await running.next();
      if (next.done) return { status: "ended", summary: next.value };
      onStep(next.value);
      if (now().getTime() - heldAt < RENEW_AFTER_MS) continue;
      if ((await leases.acquire(lease, holder, LEASE_MS)) === undefined) {
        throw new Error(`The ${lease} stopped, because another instance took it over.`);
      }
      heldAt = now().getTime();
    }
  } finally {
    await leases.release(lease, holder);
  }
}

/** How often it runs, and soon after a start. */
export function retentionTimes(everyMs: number): {
  readonly everyMs: number;
  readonly firstAfterMs: number;
} {
  return { everyMs, firstAfterMs: Math.min(everyMs, 5 * MINUTE_MS) };
}
