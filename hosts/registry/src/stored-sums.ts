import type { Database } from "@sealhouse/database";
import { cacheFor } from "./cache-for.ts";
import type { Stored } from "./metrics.ts";

/** Scrapers ask every ten seconds or less often. */
const SUMS_MS = 5_000;

/** Sums over all image blobs. Anybody may ask for them, and each takes the database longer the more
 * blobs there are, so that every reader shares one that is some seconds old. */
export function storedSums(blobs: Pick<Database["blobs"], "usage" | "damaged">): Stored {
  return {
    blobBytes: cacheFor(SUMS_MS, () => blobs.usage("oci")),
    blobsDamaged: cacheFor(SUMS_MS, () => blobs.damaged("oci")),
  };
}
