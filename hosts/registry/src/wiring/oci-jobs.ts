import type { Database } from "@sealhouse/database";
import type { BlobStore, ObjectStore } from "@sealhouse/storage-providers";
import type { Job } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Config } from "../settings/config.ts";
import { ociScrubJob } from "./oci-check.ts";
import { garbageJob } from "./oci-garbage.ts";
import { tagRetentionJob } from "./oci-retention.ts";

export type OciJobParts = {
  readonly config: Config;
  readonly database: Database;
  readonly store: ObjectStore;
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
  const { store, blobs } = parts;
  const scrub = ociScrubJob({ database, store, blobs, feed, scrub: config.ociScrub, log, now });
  return [retention, garbage, scrub].filter((job) => job !== undefined);
}
