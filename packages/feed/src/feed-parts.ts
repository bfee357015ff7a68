import type { Database, DownloadCounts } from "@sealhouse/database";
import type { ObjectStore, WatchedBlobStore } from "@sealhouse/storage-providers";
import type { FeedAccess, OpenAccess } from "./access.ts";

/** What the ports and the background work of a feed consist of. */
export type FeedParts = {
  readonly access: FeedAccess;
  readonly allowed: OpenAccess;
  readonly database: Database;
  readonly store: ObjectStore;
  readonly blobs: Readonly<Record<"nuget" | "npm" | "oci", WatchedBlobStore>>;
  readonly downloads: DownloadCounts;
  readonly onError: (error: unknown) => void;
};
