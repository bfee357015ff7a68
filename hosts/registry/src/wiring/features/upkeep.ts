import { createAdvisoryHealth } from "@sealhouse/advisories/refresh";
import type { AdvisoryHealth } from "@sealhouse/advisories/refresh";
import { downloadCountsJob, futureTimesJob } from "@sealhouse/database";
import { auditRetentionJob, SYSTEM } from "@sealhouse/events";
import { checkParts, keyRingJob, sweepJob } from "@sealhouse/feed";
import { openOutgoingFetch } from "@sealhouse/http-server";
import type { Job } from "@sealhouse/jobs";
import { checkJob } from "@sealhouse/storage-providers";
import type { Core } from "../core.ts";
import type { FeatureModule } from "../feature.ts";
import { advisoriesJob } from "./advisories.ts";

/** Jobs of every registry: storage, keys, counts, advisories, memberships and the audit log. */
export const upkeep: FeatureModule = {
  open(core) {
    const health = createAdvisoryHealth();
    const jobs = [
      checkOf(core),
      sweepOf(core),
      keyRingJob({ ...core.resources, log: core.log }),
      advisoriesOf(core, health),
      downloadCountsJob(core.downloads),
      futureTimesJob({ ...core.resources.database, log: core.log, now: core.now }),
      core.access.revalidation.job,
      auditRetentionOf(core),
    ];
    return { jobs, problems: () => health.problems() };
  },
};

function checkOf({ config, resources, metrics, log, now }: Core): Job | undefined {
  return checkJob({
    ...checkParts(resources, now),
    feed: config.feed.name,
    check: config.check,
    metrics: metrics.check,
    caller: SYSTEM,
    log,
  });
}

function sweepOf({ config, resources, log, now }: Core): Job {
  const { uploadExpiryMs } = config.feed.oci;
  return sweepJob({
    ...resources,
    ociUploads: resources.blobs.oci.uploads,
    uploadExpiryMs,
    log,
    now,
  });
}

function advisoriesOf({ config, resources, log, now }: Core, health: AdvisoryHealth): Job {
  const { vulnerabilities } = config.feed;
  const fetch = openOutgoingFetch(config.host);
  return advisoriesJob({ ...resources, vulnerabilities, health, fetch, log, now });
}

function auditRetentionOf({ config, resources, log, now }: Core): Job | undefined {
  const { auditRetentionMs: retentionMs } = config.host;
  if (retentionMs === undefined) return undefined;
  return auditRetentionJob({ audit: resources.database.events.audit, retentionMs, log, now });
}
