import type { Database, DownloadCounts } from "@sealhouse/database";
import type { ObjectStore, WatchedBlobStore } from "@sealhouse/storage-providers";
import type { FeedAccess, OpenAccess } from "./access.ts";

/** Dependencies of the ports and of the background jobs of a feed. */
export type FeedParts = {
  readonly access: FeedAccess;
  readonly allowed: OpenAccess;
  readonly database: Database;
  readonly store: ObjectStore;
  readonly blobs: Readonly<Record<"nuget" | "npm" | "oci", WatchedBlobStore>>;
  readonly downloads: DownloadCounts;
  readonly onError: (error: unknown) => void;
};
