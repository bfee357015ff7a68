import type { Database } from "@sealhouse/database";
import type { BlobStore } from "@sealhouse/storage-providers";
import type { Job } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Config } from "../settings/config.ts";
import { SYSTEM } from "@sealhouse/events";
import { garbageJob, tagRetentionJob } from "@sealhouse/oci-distribution";
import { tagRetentionPorts } from "./retention-ports.ts";

export type OciJobParts = {
  readonly config: Config;
  readonly database: Database;
  readonly blobs: { readonly oci: BlobStore };
  readonly metrics: Pick<Metrics, "garbage">;
  readonly log: Log;
  readonly now: () => Date;
};

/** The jobs of container images. */
export function ociJobs(parts: OciJobParts): readonly Job[] {
  const { config, database, log, now } = parts;
  const feed = config.feed.name;
  const retention = tagRetentionJob({
    ports: tagRetentionPorts(database),
    leases: database.leases,
    feed,
    ociTags: config.ociTags,
    caller: SYSTEM,
    log,
    now,
  });
  const files = parts.blobs.oci;
  const garbage = garbageJob({
    config,
    catalog: database.oci.garbage,
    leases: database.leases,
    files,
    now,
    log,
    onEnd: (run) => parts.metrics.garbage.ended(run),
  });
  return [retention, garbage].filter((job) => job !== undefined);
}
