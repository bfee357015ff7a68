import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import type { Database, DownloadCounts } from "@sealhouse/database";
import { auditConsumer, openDelivery, SYSTEM } from "@sealhouse/events";
import type { Consumer } from "@sealhouse/events";
import { PROTOCOLS } from "@sealhouse/identity";
import type { HashableFiles } from "@sealhouse/nuget-protocol";
import { sweepUploads } from "@sealhouse/oci-distribution";
import type { ChunkedUploads, ObjectStore } from "@sealhouse/storage-providers";
import { sweepUnnamed, deleteLeftovers, setOrphansAside } from "@sealhouse/storage-providers";
import { openCatalogConsumer, retentionJob } from "@sealhouse/nuget-protocol";
import { openSchedule, runLeased } from "@sealhouse/jobs";
import type { Job } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import type { RetentionConfig } from "@sealhouse/nuget-protocol/settings";
import type { AdvisorySourcesConfig } from "@sealhouse/advisories/settings";
import { advisoriesJob } from "./advisories.ts";
import { retentionPorts } from "./retention-ports.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Longer than any time between the last byte of an upload and the commit that names it, and long
 * enough to go on with an upload the next morning. */
const GRACE_MS = 24 * HOUR_MS;
/** Staged versions in one transaction. */
const STAGED_AT_ONCE = 50;
/** Other instances write events, too. */
const POLL_MS = 5 * SECOND_MS;
/** Whoever publishes much does so at once. */
const GATHER_MS = 100;

export type JobParts = {
  readonly database: Pick<Database, "events" | "blobs" | "leases" | "nuget" | "npm" | "oci">;
  readonly store: ObjectStore;
  /** NuGet packages, for what is not known of them yet. */
  readonly hashable: HashableFiles;
  /** Whether NuGet packages leave with a signature of this host's. */
  readonly signingEnabled: boolean;
  readonly ociUploads: Pick<ChunkedUploads, "drop">;
  /** How long an OCI upload may stand still. */
  readonly uploadExpiryMs: number;
  readonly downloads: DownloadCounts;
  readonly retention: RetentionConfig;
  /** Undefined keeps audit records forever. */
  readonly auditRetentionMs: number | undefined;
  readonly vulnerabilities: AdvisorySourcesConfig;
  /** For what jobs call outside. */
  readonly fetch: typeof fetch;
  /** Jobs of other parts of the host. */
  readonly more?: readonly Job[];
  /** Likewise those who want to know what happened; disposed of with the jobs. */
  readonly consumers?: readonly (Consumer & Disposable)[];
  readonly log: Log;
  readonly now: () => Date;
};

/** Everything that runs beside requests. Disposal stops it in order and waits for it. */
export function openJobs(parts: JobParts): AsyncDisposable {
  const opened = new AsyncDisposableStack();
  const { database, downloads, log, now } = parts;
  const { hashable, signingEnabled } = parts;
  const catalog = openCatalogConsumer({ ...database.nuget, hashable }, { signingEnabled });
  const consumers = [catalog, ...(parts.consumers ?? [])];
  const delivery = opened.use(
    openDelivery({
      outbox: database.events.outbox,
      consumers: [auditConsumer(database.events.audit), ...consumers],
      pollMs: POLL_MS,
      gatherMs: GATHER_MS,
      now,
      onError({ error, ...failure }) {
        const isStop = error instanceof Error && error.name === "AbortError";
        if (!isStop) log.warn({ ...failure, err: error }, "events could not be delivered yet");
      },
    }),
  );
  for (const consumer of consumers) opened.use(consumer);
  opened.defer(database.events.onCommitted(() => delivery.wake()));
  const sweep = (signal: AbortSignal) => sweepAll(parts, signal);
  const every = { firstAfterMs: 5 * MINUTE_MS, everyMs: HOUR_MS };
  const flush = { name: "download counts", firstAfterMs: 30 * SECOND_MS, everyMs: 30 * SECOND_MS };
  const retention = retentionJob({
    ports: retentionPorts(database),
    leases: database.leases,
    retention: parts.retention,
    caller: SYSTEM,
    log,
    now,
  });
  const auditRetention = auditRetentionJob(parts);
  opened.use(
    openSchedule(
      [
        ...(retention ? [retention] : []),
        ...(parts.more ?? []),
        advisoriesJob(parts),
        { ...flush, run: () => downloads.flush() },
        { ...every, name: "sweep", run: sweep },
        ...(auditRetention ? [auditRetention] : []),
      ],
      ({ job, error }) => log.error({ err: error, job }, "a background job failed"),
    ),
  );
  return opened;
}

/** The scheduled run; undefined where records are kept forever. Every instance may run it at the
 * same time: deleting twice does no harm. */
export function auditRetentionJob({
  database,
  auditRetentionMs,
  now,
  log,
}: JobParts): Job | undefined {
  if (auditRetentionMs === undefined) return undefined;
  const run = async (signal: AbortSignal) => {
    const before = new Date(now().getTime() - auditRetentionMs);
    let deleted = 0;
    for (let count = -1; count !== 0 && !signal.aborted; deleted += count) {
      count = await database.events.audit.trim(before);
    }
    if (deleted > 0) log.info({ deleted, before }, "deleted old audit records");
  };
  return { name: "audit retention", firstAfterMs: MINUTE_MS, everyMs: HOUR_MS, run };
}

/** On one instance at a time. */
export async function sweepAll(parts: JobParts, signal: AbortSignal): Promise<void> {
  const { leases, oci } = parts.database;
  await runLeased(leases, { name: "sweep", signal }, async (held) => {
    const idleSince = new Date(parts.now().getTime() - parts.uploadExpiryMs);
    const uploads = { uploads: oci.uploads, files: parts.ociUploads };
    await sweepUploads(uploads, idleSince, held);
    await sweepStaged(parts, held);
    for (const prefix of PROTOCOLS) await sweepPrefix(parts, prefix, held);
    const left = await deleteLeftovers(parts, held);
    if (left.count > 0) parts.log.info(left, "deleted files that killed processes left");
    await sweepOrphans(parts, held);
  });
}

/** Their bytes go with the sweep of what nobody names. */
async function sweepStaged({ database, log }: JobParts, signal: AbortSignal): Promise<void> {
  let expired = 0;
  while (!signal.aborted) {
    const count = await database.npm.staging.expire(STAGED_AT_ONCE);
    expired += count;
    if (count < STAGED_AT_ONCE) break;
  }
  if (expired > 0) log.info({ expired }, "removed staged versions that nobody approved in time");
}

async function sweepPrefix(parts: JobParts, prefix: string, signal: AbortSignal): Promise<void> {
  const { database, store, log, now } = parts;
  const hasSession = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const found = await Promise.all(ids.map((id) => database.oci.uploads.find(id)));
    return new Set(found.flatMap((session) => (session ? [session.id] : [])));
  };
  const outcome = await sweepUnnamed(store, {
    prefix,
    olderThan: new Date(now().getTime() - GRACE_MS),
    isNamed: (keys) => database.blobs.isNamed(keys),
    ...(prefix === "oci" && { hasSession, blobs: "leave" }),
    signal,
  });
  if (outcome.deleted > 0) log.info({ prefix, ...outcome }, "removed what uploads left behind");
}

async function sweepOrphans(
  { store, database, log, now }: JobParts,
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
