import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import type { Queries } from "../statements/queries.ts";
import { createBlobCatalog } from "./blob-catalog.ts";
import { createForgetRepository } from "./forget-repository.ts";
import { createGarbageCatalog } from "./gc/garbage-catalog.ts";
import { createHolds } from "./gc/holds.ts";
import { createManifestChanges } from "./manifest-changes.ts";
import { createManifestDetails } from "./manifest-details.ts";
import { createManifestLookup } from "./manifest-lookup.ts";
import { createManifestRecords } from "./manifest-records.ts";
import { createMirroredLookup } from "./mirrored-lookup.ts";
import { createRepositoryListing } from "./repository-listing.ts";
import { createTagPast } from "./tag-past.ts";
import { createTagPulls } from "./tag-pulls.ts";
import type { TagPulls } from "./tag-pulls.ts";
import { createTagRetention } from "./tag-retention.ts";
import { createUploadCatalog } from "./upload-catalog.ts";

/** Composes the ports of container images. */
export function createOciPorts(context: PortContext): Database["oci"] {
  const { queries } = context;
  const pulls = createTagPulls(queries);
  return {
    blobs: createBlobCatalog(context),
    mirrored: {
      blobs: createBlobCatalog(context, "mirror"),
      manifests: createManifestChanges(context, "mirror"),
      lookup: createMirroredLookup(queries),
    },
    manifests: { ...createManifestLookup(context, pulls), ...createManifestChanges(context) },
    past: createTagPast(queries, context.beginning),
    uploads: createUploadCatalog(context),
    garbage: createGarbageCatalog(context),
    holds: createHolds(context),
    tags: createTagRetention(context, pulls),
    browsing: browsing(queries, pulls),
    records: createManifestRecords(queries),
    forget: createForgetRepository(context),
  };
}

/** Reads for web pages, after the pulls that this process has counted. */
function browsing(queries: Queries, pulls: TagPulls): Database["oci"]["browsing"] {
  const listing = createRepositoryListing(queries);
  const details = createManifestDetails(queries);
  return {
    ...listing,
    ...details,
    tags: (...page) => pulls.written().then(() => listing.tags(...page)),
    manifest: (...key) => pulls.written().then(() => details.manifest(...key)),
  };
}
