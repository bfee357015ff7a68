import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { OneInstanceOnly } from "./on-demand.ts";
import type { SealedName, SealLeases, SealLookup } from "./ports.ts";
import type { Seal } from "./sealer.ts";

/** An instance that was killed is waited for so long; a living one renews in time. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
/** Longer than the time-stamp servers may take together. After that we sign ourselves, and the
 * keeper of seals decides whose bytes everybody gets. */
const WAIT_MAX_MS = 45_000;
const LOOK_AFTER_MS = 20;
const LOOK_EVERY_MAX_MS = 500;

/**
 * Of all instances the one that gets the place works, and the others wait for what it keeps. When
 * it fails, or dies, the next one works.
 */
export function oneInstanceOnly(options: {
  readonly leases: SealLeases;
  readonly seals: SealLookup<Seal>;
  /** Tells this instance from all others. */
  readonly holder: string;
  /** Told about leases that could not be renewed or given back; nothing depends on that. */
  readonly report: (error: unknown) => void;
  /** Default 10,000. */
  readonly leaseMs?: number;
  /** Default 45,000. */
  readonly waitMaxMs?: number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}): OneInstanceOnly {
  const { leases, seals, holder, leaseMs = LEASE_MS, waitMaxMs = WAIT_MAX_MS } = options;
  const { wait = (ms, signal) => delay(ms, undefined, { signal }) } = options;
  return async (named, work, signal) => {
    const place = placeOf(named);
    // One place may stand for two packages, and then this process is not its own stranger.
    const own = `${holder}/${createHash("sha256").update(keyOf(named)).digest("hex").slice(0, 16)}`;
    const waitUntil = performance.now() + waitMaxMs;
    for (let pauseMs = LOOK_AFTER_MS; ; pauseMs = Math.min(pauseMs * 2, LOOK_EVERY_MAX_MS)) {
      const isHeld = (await leases.acquire(place, own, leaseMs)) !== undefined;
      const kept = await seals.find(named).catch((error: unknown) => {
        if (isHeld) void leases.release(place, own).catch(options.report);
        throw error;
      });
      if (isHeld) return whileHeld({ ...options, place, own, leaseMs }, async () => kept ?? work());
      if (kept) return kept;
      if (performance.now() >= waitUntil) return work();
      await wait(pauseMs, signal);
    }
  };
}

async function whileHeld(
  lease: {
    readonly leases: SealLeases;
    readonly report: (error: unknown) => void;
    readonly place: string;
    readonly own: string;
    readonly leaseMs: number;
  },
  work: () => Promise<Seal | undefined>,
): Promise<Seal | undefined> {
  const { leases, report, place, own, leaseMs } = lease;
  const renew = () => void leases.acquire(place, own, leaseMs).catch(report);
  const renewing = setInterval(renew, Math.min(RENEW_EVERY_MS, leaseMs / 3));
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await leases.release(place, own).catch(report);
  }
}

/** A feed may have millions of versions that were never signed; it needs no lease row for each. */
function placeOf(named: SealedName): string {
  return `seal/${createHash("sha256").update(keyOf(named)).digest("hex").slice(0, 4)}`;
}

function keyOf({ id, version, sha256 }: SealedName): string {
  return `${id.toLowerCase()}/${version.toLowerCase()}/${sha256}`;
}
