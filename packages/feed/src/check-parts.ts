import type { Database } from "@sealhouse/database";
import { checkManifests } from "@sealhouse/oci-distribution";
import type { CheckParts } from "@sealhouse/storage-providers";

type Stored = Pick<CheckParts, "store" | "blobs" | "registryId"> & {
  readonly database: Pick<Database, "oci" | "blobs" | "blobRecords" | "leases">;
};

/** The ports of the check of the storage. */
export function checkParts(
  { database, store, blobs, registryId }: Stored,
  now: () => Date,
): CheckParts {
  return {
    store,
    registryId,
    blobs,
    leases: database.leases,
    records: (protocol, caller) => database.blobRecords(protocol, caller),
    manifests: (options) => checkManifests(database.oci.records, options),
    usage: (protocol) => database.blobs.usage(protocol),
    isNamed: (keys) => database.blobs.isNamed(keys),
    now,
  };
}
