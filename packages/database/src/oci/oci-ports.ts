import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createBlobChanges } from "./blob-changes.ts";
import { createBlobFind, createBlobKnown } from "./blob-lookup.ts";
import { createGarbageCatalog } from "./gc/garbage-catalog.ts";
import { createHolds } from "./gc/holds.ts";
import { createManifestChanges } from "./manifest-changes.ts";
import { createManifestDetails } from "./manifest-details.ts";
import { createManifestLookup } from "./manifest-lookup.ts";
import { createManifestRecords } from "./manifest-records.ts";
import { createRepositoryListing } from "./repository-listing.ts";
import { createTagChanges } from "./tag-changes.ts";
import { createTagPulls } from "./tag-pulls.ts";
import type { TagPulls } from "./tag-pulls.ts";
import { createTagRecords } from "./tag-records.ts";
import { createUploadCatalog } from "./upload-catalog.ts";

/** Composes the ports of container images. */
export function createOciPorts(context: PortContext): Database["oci"] {
  const { port, changes, options } = context;
  const clock = { now: changes.now, thresholdMs: changes.clockThresholdMs };
  const pulls = createTagPulls(port);
  return {
    blobs: {
      find: createBlobFind(port, clock),
      isKnown: createBlobKnown(port),
      ...createBlobChanges(changes),
    },
    manifests: {
      ...createManifestLookup(port, clock, pulls),
      ...createManifestChanges(changes, options.immutableTags),
    },
    uploads: createUploadCatalog(context, clock.now),
    garbage: createGarbageCatalog(context),
    holds: createHolds(port, changes),
    tags: tagRetention(context, pulls),
    browsing: browsing(port, pulls),
    records: createManifestRecords(port),
  };
}

/** Reads for web pages, after the pulls that this process has counted. */
function browsing(port: PortContext["port"], pulls: TagPulls): Database["oci"]["browsing"] {
  const listing = createRepositoryListing(port);
  const details = createManifestDetails(port);
  return {
    ...listing,
    ...details,
    tags: (...page) => pulls.written().then(() => listing.tags(...page)),
    manifest: (...key) => pulls.written().then(() => details.manifest(...key)),
  };
}

function tagRetention(
  { port, changes, options }: PortContext,
  pulls: TagPulls,
): Database["oci"]["tags"] {
  const { removeTag } = createTagChanges(changes, options.immutableTags);
  return {
    tagRecords: createTagRecords(port, pulls),
    async removeTag(...removal) {
      // Keeps a tag that was pulled in the meantime.
      await pulls.written();
      return removeTag(...removal);
    },
  };
}
