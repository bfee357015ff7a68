import type { Database } from "@sealhouse/database";
import type { BlobStore } from "@sealhouse/storage-providers";
import type { Job } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Config } from "../settings/config.ts";
import { garbageJob } from "./oci-garbage.ts";
import { tagRetentionJob } from "./oci-retention.ts";

export type OciJobParts = {
  readonly config: Config;
  readonly database: Database;
  readonly blobs: { readonly oci: BlobStore };
  readonly metrics: Pick<Metrics, "garbage">;
  readonly log: Log;
  readonly now: () => Date;
};

/** What looks after container images beside requests. */
export function ociJobs(parts: OciJobParts): readonly Job[] {
  const { config, database, log, now } = parts;
  const feed = config.feed.name;
  const retention = tagRetentionJob({ database, feed, ociTags: config.ociTags, log, now });
  const files = parts.blobs.oci;
  const garbage = garbageJob({
    config,
    database,
    files,
    now,
    log,
    onEnd: (run) => parts.metrics.garbage.ended(run),
  });
  return [retention, garbage].filter((job) => job !== undefined);
}
