import type { Database } from "@sealhouse/database";
import { cacheFor } from "@sealhouse/http-server";
import { canSign } from "@sealhouse/repo-signing/feed";
import type { Mirror } from "@sealhouse/upstream-sources";
import type { EventSums } from "./event-metrics.ts";
import type { Stored } from "./metrics.ts";
import type { RegistryResources } from "./wiring/registry-resources.ts";

/** Half the shortest usual scrape interval. */
const SUMS_MS = 5_000;

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

/** All sums of a registry, and its state of signing. */
export function registrySums({
  database,
  signing,
  mirror,
  eventsOut,
}: Pick<RegistryResources, "database" | "signing"> & {
  readonly mirror: Pick<Mirror, "calls">;
  readonly eventsOut: EventSums;
}): Stored {
  const { documents } = database.upstream;
  return {
    ...storedSums(database.blobs),
    events: eventsOut,
    canSign: () => canSign(signing.state()),
    upstream: {
      states: () => mirror.calls.states(),
      keptDocuments: cacheFor(SUMS_MS, () => documents.count()),
    },
  };
}
