import { downloadCountsJob, futureTimesJob } from "@sealhouse/database";
import type { DownloadCounts } from "@sealhouse/database";
import { auditRetentionJob, SYSTEM } from "@sealhouse/events";
import {
  checkParts,
  createHashableFiles,
  openUpkeep,
  retentionPorts,
  sweepJob,
  tagRetentionPorts,
} from "@sealhouse/feed";
import type { UpkeepParts } from "@sealhouse/feed";
import type { Revalidation } from "@sealhouse/identity";
import type { Job } from "@sealhouse/jobs";
import { retentionJob } from "@sealhouse/nuget-protocol";
import { garbageJob, tagRetentionJob } from "@sealhouse/oci-distribution";
import { resignJob } from "@sealhouse/repo-signing/feed";
import { checkJob } from "@sealhouse/storage-providers";
import { mirrorJobs } from "@sealhouse/upstream-sources";
import type { Mirror } from "@sealhouse/upstream-sources";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Config } from "../settings/config.ts";
import { advisoriesJob } from "./advisories.ts";
import type { EventsOut } from "./events-out.ts";
import { keyRingJob } from "./key-ring-job.ts";
import { releasesJob } from "./promotion.ts";
import type { RegistryResources } from "./registry-resources.ts";
import { openOutgoingFetch } from "@sealhouse/http-server";

/** The settings and resources of the background work of the registry. */
export type JobParts = {
  readonly config: Config;
  readonly resources: RegistryResources;
  readonly mirror: Pick<Mirror, "calls">;
  readonly metrics: Pick<Metrics, "check" | "garbage">;
  readonly downloads: DownloadCounts;
  /** Checks of memberships. */
  readonly revalidation?: Pick<Revalidation, "job"> | undefined;
  readonly consumers: NonNullable<UpkeepParts["consumers"]>;
  readonly eventsOut: Pick<EventsOut, "consumers" | "jobs">;
  readonly log: Log;
  readonly now: () => Date;
};

type BackgroundParts = Omit<JobParts, "eventsOut">;

/** Opens the delivery of events and the background jobs. Disposal stops them in order. */
export function openJobs(parts: JobParts): AsyncDisposable {
  const { config, resources, log, now } = parts;
  return openUpkeep({
    database: resources.database,
    hashable: createHashableFiles(resources.blobs.nuget),
    signingEnabled: config.signing.mode !== "off",
    consumers: [...parts.consumers, ...parts.eventsOut.consumers],
    jobs: [...registryJobs(parts), ...parts.eventsOut.jobs],
    now,
    onDeliveryFailure: ({ error, ...failure }) =>
      log.warn({ ...failure, err: error }, "events could not be delivered yet"),
    onJobFailure: ({ job, error }) => log.error({ err: error, job }, "a background job failed"),
  });
}

/** The jobs that the settings enable. */
export function registryJobs(parts: BackgroundParts): readonly Job[] {
  const { config, resources, log, now } = parts;
  const { database, store, blobs, registryId } = resources;
  const { auditRetentionMs: retentionMs } = config.host;
  const { oci, vulnerabilities } = config.feed;
  const sweep = { database, store, registryId, ociUploads: blobs.oci.uploads, log, now };
  const jobs = [
    ...nugetJobs(parts),
    config.feed.npm.enabled ? resources.npmSignatures.job : undefined,
    ...(oci.enabled ? ociJobs(parts) : []),
    checkOf(parts),
    keyRingJob({ ...resources, log }),
    advisoriesJob({
      database,
      vulnerabilities,
      fetch: openOutgoingFetch(config.host),
      log,
      now,
    }),
    downloadCountsJob(parts.downloads),
    futureTimesJob({ futureTimes: database.futureTimes, log, now }),
    releasesJob({ config, resources, now }),
    parts.revalidation?.job,
    ...mirrorJobs({ ...database.upstream, calls: parts.mirror.calls, now }),
    sweepJob({ ...sweep, uploadExpiryMs: oci.uploadExpiryMs }),
    retentionMs === undefined
      ? undefined
      : auditRetentionJob({ audit: database.events.audit, retentionMs, log, now }),
  ];
  return jobs.filter((job) => job !== undefined);
}

function nugetJobs({ config, resources, log, now }: BackgroundParts): readonly (Job | undefined)[] {
  const { database, blobs, signing } = resources;
  const { certificates: ledger, leases, nuget } = database;
  const resigns = config.signing.mode !== "off" && config.signing.resignAfterRotation;
  const resigning = { ledger, leases, seals: nuget.seals, blobs: blobs.nuget, signing, log, now };
  const retention = { leases, retention: config.retention, caller: SYSTEM, log, now };
  return [
    retentionJob({ ports: retentionPorts(database), ...retention }),
    resigns ? resignJob(resigning) : undefined,
    signing.job,
  ];
}

function ociJobs({
  config,
  resources,
  metrics,
  log,
  now,
}: BackgroundParts): readonly (Job | undefined)[] {
  const { database, blobs } = resources;
  const { leases } = database;
  return [
    tagRetentionJob({
      ports: tagRetentionPorts(database),
      leases,
      feed: config.feed.name,
      ociTags: config.ociTags,
      caller: SYSTEM,
      log,
      now,
    }),
    garbageJob({
      config,
      catalog: database.oci.garbage,
      leases,
      files: blobs.oci,
      now,
      log,
      onEnd: (run) => metrics.garbage.ended(run),
    }),
  ];
}

function checkOf({ config, resources, metrics, log, now }: BackgroundParts): Job | undefined {
  return checkJob({
    ...checkParts(resources, now),
    feed: config.feed.name,
    check: config.check,
    metrics: metrics.check,
    caller: SYSTEM,
    log,
  });
}
