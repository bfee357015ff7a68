import type { Database } from "@sealhouse/database";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { Job } from "../jobs/schedule.ts";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import { tagRetentionJob } from "./oci-retention.ts";

export type OciJobParts = {
  readonly config: Config;
  readonly database: Database;
  readonly store: ObjectStore;
  readonly log: Log;
  readonly now: () => Date;
};

/** What looks after container images beside requests. */
export function ociJobs(parts: OciJobParts): readonly Job[] {
  const { config, database, log, now } = parts;
  const feed = config.feed.name;
  const retention = tagRetentionJob({ database, feed, ociTags: config.ociTags, log, now });
  return retention ? [retention] : [];
}
