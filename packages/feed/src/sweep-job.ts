import type { Database } from "@sealhouse/database";
import { runLeased } from "@sealhouse/jobs";
import type { Job } from "@sealhouse/jobs";
import { sweepUploads } from "@sealhouse/oci-distribution";
import type { ChunkedUploads, ObjectStore } from "@sealhouse/storage-providers";
import {
  deleteLeftovers,
  requireMarker,
  setOrphansAside,
  sweepCopies,
  sweepUnnamed,
} from "@sealhouse/storage-providers";
import { SIGNED_COPIES } from "./redirected-packages.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Longer than any time between the last byte of an upload and the commit that names it. */
const GRACE_MS = DAY_MS;
/** Staged versions that one transaction removes. */
const STAGED_AT_ONCE = 50;

/** The ports of the sweep of a feed. */
export type SweepParts = {
  readonly database: Pick<Database, "blobs" | "history" | "leases" | "npm" | "oci">;
  readonly store: ObjectStore;
  /** The registry whose id the marker of the store must contain. Default: no marker is needed. */
  readonly registryId?: string;
  readonly ociUploads: Pick<ChunkedUploads, "drop">;
  /** Milliseconds without activity after which an image upload expires. Default: a day. */
  readonly uploadExpiryMs?: number;
  readonly log: { info(fields: object, message: string): void };
  readonly now: () => Date;
};

/** Deletes expired uploads and staged versions, and objects that no row references, every hour. */
export function sweepJob(parts: SweepParts): Job {
  const run = (signal: AbortSignal) => sweepFeed(parts, signal);
  return { name: "sweep", firstAfterMs: 5 * MINUTE_MS, everyMs: HOUR_MS, run };
}

/** Does nothing while another instance sweeps. */
async function sweepFeed(parts: SweepParts, signal: AbortSignal): Promise<void> {
  const { database, store, registryId, ociUploads, uploadExpiryMs = DAY_MS, log, now } = parts;
  const { leases, oci } = database;
  await runLeased(leases, { name: "sweep", signal }, async (leaseSignal) => {
    if (registryId !== undefined) await requireMarker(store, registryId);
    const idleSince = new Date(now().getTime() - uploadExpiryMs);
    await sweepUploads({ uploads: oci.uploads, files: ociUploads }, idleSince, leaseSignal);
    await expireStaged(parts, leaseSignal);
    await dropOutlived(parts, leaseSignal);
    for (const prefix of ["nuget", "npm"]) await sweepPrefix(parts, { prefix }, leaseSignal);
    await sweepPrefix(
      parts,
      { prefix: "oci", hasSession: sessionsOf(oci), blobs: "leave" },
      leaseSignal,
    );
    const leftovers = await deleteLeftovers(parts, leaseSignal);
    if (leftovers.count > 0) log.info(leftovers, "deleted files of killed processes");
    await sweepSignedCopies(parts, leaseSignal);
    await quarantineOrphans(parts, leaseSignal);
  });
}

/** Their objects have no row then, so this sweep or the next one deletes them. */
async function expireStaged({ database, log }: SweepParts, signal: AbortSignal): Promise<void> {
  let expired = 0;
  while (!signal.aborted) {
    const count = await database.npm.staging.expire(STAGED_AT_ONCE);
    expired += count;
    if (count < STAGED_AT_ONCE) break;
  }
  if (expired > 0) log.info({ expired }, "deleted expired staged versions");
}

/** Their objects have no row then, like those of staged versions. */
async function dropOutlived({ database, log }: SweepParts, signal: AbortSignal): Promise<void> {
  const versions = await database.history.dropOutlived(signal);
  if (versions > 0) log.info({ versions }, "forgot deleted versions that views no longer show");
}

function sessionsOf({ uploads }: Pick<Database["oci"], "uploads">) {
  return async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const sessions = await Promise.all(ids.map((id) => uploads.find(id)));
    return new Set(sessions.flatMap((session) => (session ? [session.id] : [])));
  };
}

async function sweepPrefix(
  { database, store, log, now }: SweepParts,
  swept: Pick<Parameters<typeof sweepUnnamed>[1], "prefix" | "hasSession" | "blobs">,
  signal: AbortSignal,
): Promise<void> {
  const outcome = await sweepUnnamed(store, {
    ...swept,
    olderThan: new Date(now().getTime() - GRACE_MS),
    isNamed: (keys) => database.blobs.isNamed(keys),
    signal,
  });
  if (outcome.deleted === 0) return;
  log.info({ prefix: swept.prefix, ...outcome }, "deleted objects of unfinished uploads");
}

async function sweepSignedCopies(
  { store, log, now }: SweepParts,
  signal: AbortSignal,
): Promise<void> {
  const deleted = await sweepCopies(store, { folder: SIGNED_COPIES, now: now(), signal });
  if (deleted > 0) log.info({ deleted }, "deleted old copies of signed packages");
}

async function quarantineOrphans(
  { store, database, log, now }: SweepParts,
  signal: AbortSignal,
): Promise<void> {
  const { setAside, restored, deleted } = await setOrphansAside(
    { store, isNamed: (keys) => database.blobs.isNamed(keys), now },
    { prefix: "oci", signal },
  );
  if (setAside.count + restored.count + deleted.count === 0) return;
  log.info(
    { setAside, restored, deleted },
    "quarantined, restored or deleted unreferenced image blobs",
  );
}
