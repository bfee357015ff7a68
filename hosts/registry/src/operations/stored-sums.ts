import type { Database } from "@sealhouse/database";
import { cacheFor } from "@sealhouse/http-server";
import type { Stored } from "./metrics.ts";

/** Half the shortest usual scrape interval. */
export const SUMS_MS = 5_000;

/** Sums over all blobs. Their cost grows with the number of blobs, and anonymous requests may read
 * them, so all readers share a cached sum. */
export function storedSums(blobs: Pick<Database["blobs"], "usage" | "damaged">): Stored {
  return {
    blobBytes: cacheFor(SUMS_MS, () => blobs.usage("oci")),
    blobsDamaged: {
      nuget: cacheFor(SUMS_MS, () => blobs.damaged("nuget")),
      npm: cacheFor(SUMS_MS, () => blobs.damaged("npm")),
      oci: cacheFor(SUMS_MS, () => blobs.damaged("oci")),
    },
  };
}
