import type { Database } from "@sealhouse/database";
import type { SealingParts } from "@sealhouse/oci-distribution/seal";
import type { OciSealConfig } from "@sealhouse/oci-distribution/settings";
import type { BlobStore, ObjectStore, WatchedBlobStore } from "@sealhouse/storage-providers";
import { checkParts } from "./check-parts.ts";
import { retentionPorts, tagRetentionPorts } from "./retention-ports.ts";

type Resources = {
  readonly database: Database;
  readonly store: ObjectStore;
  readonly registryId: string;
  readonly blobs: {
    readonly nuget: BlobStore;
    readonly npm: BlobStore;
    readonly oci: WatchedBlobStore;
  };
};

/** Opens what actions of administrators need for packages, images and upkeep. */
export function contentParts<Settings>({
  settings,
  database,
  resources,
  sealing,
  now,
}: {
  readonly settings: () => Settings;
  readonly database: () => Promise<Database>;
  readonly resources: () => Promise<Resources>;
  readonly sealing: (seal: OciSealConfig) => Promise<SealingParts>;
  readonly now: () => Date;
}) {
  const leased = async <Ports>(portsOf: (rows: Database) => Ports) => {
    const rows = await database();
    return { ports: portsOf(rows), leases: rows.leases, now };
  };
  return {
    content: database,
    upkeep: {
      settings,
      retention: () => leased(retentionPorts),
      tagRetention: () => leased(tagRetentionPorts),
      async garbage() {
        const { database: rows, blobs } = await resources();
        return { catalog: rows.oci.garbage, leases: rows.leases, files: blobs.oci, now };
      },
      check: async () => checkParts(await resources(), now),
      sealing,
    },
  };
}
