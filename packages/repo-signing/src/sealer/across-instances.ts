import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { LostLeaseError, runLeased } from "@sealhouse/jobs";
import type { Leases } from "@sealhouse/jobs";
import type { OneInstanceOnly } from "./on-demand.ts";
import type { SealedName, SealLookup } from "../ports.ts";
import type { Seal } from "./sealer.ts";

/** Milliseconds that other instances wait for a killed one. */
const LEASE_MS = 10_000;
/**
 * Milliseconds, longer than the timestamping servers may take together. After that this instance
 * signs as well, and the keeper of seals decides which signature all clients get.
 */
const WAIT_MAX_MS = 45_000;
const PAUSE_MS = 20;
const PAUSE_MAX_MS = 500;

/**
 * Lets the instance that acquires the package's lease sign it; the others wait for the signature
 * that it keeps. When it fails or stops, the next instance signs.
 */
export function oneInstanceOnly(options: {
  readonly leases: Leases;
  readonly seals: SealLookup<Seal>;
  /** Milliseconds; 10,000 when left out. */
  readonly leaseMs?: number;
  /** Milliseconds; 45,000 when left out. */
  readonly waitMaxMs?: number;
  /** Waits between two attempts; rejects when the signal aborts. A timer when left out. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}): OneInstanceOnly {
  const { leases, seals, leaseMs = LEASE_MS, waitMaxMs = WAIT_MAX_MS } = options;
  const { wait = (ms, signal) => delay(ms, undefined, { signal }) } = options;
  return async (sealedName, work, signal) => {
    const lease = { name: leaseOf(sealedName), leaseMs };
    const waitUntil = performance.now() + waitMaxMs;
    for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
      const outcome = await runLeased(leases, lease, async () => {
        return (await seals.find(sealedName)) ?? (await work());
      }).catch(busyIfLost);
      if (outcome.status === "ended") return outcome.result;
      const storedSeal = await seals.find(sealedName);
      if (storedSeal) return storedSeal;
      if (performance.now() >= waitUntil) return work();
      await wait(pauseMs, signal);
    }
  };
}

/** The instance that acquired the lease in between signs the package. */
function busyIfLost(error: unknown): { readonly status: "busy" } {
  if (error instanceof LostLeaseError) return { status: "busy" };
  throw error;
}

/** A feed may have millions of versions that were never signed, so they share 65,536 leases. */
function leaseOf({ id, version, sha256 }: SealedName): string {
  const key = `${id.toLowerCase()}/${version.toLowerCase()}/${sha256}`;
  return `seal/${createHash("sha256").update(key).digest("hex").slice(0, 4)}`;
}
