import type { Database } from "@sealhouse/database";
import { SYSTEM } from "@sealhouse/events";
import type { SealingParts } from "@sealhouse/oci-distribution/seal";
import type { OciSealConfig } from "@sealhouse/oci-distribution/settings";
import type { BlobStore } from "@sealhouse/storage-providers";
import { sealKeysOf } from "./image-seal-keys.ts";
import type { SealKeyParts } from "./image-seal-keys.ts";
import { imageFiles } from "./oci-ports.ts";

/** Opens the signing of a feed's images. */
export async function openImageSealing(
  parts: Omit<SealKeyParts, "database"> & {
    readonly database: Database;
    readonly blobs: { readonly oci: BlobStore };
  },
  {
    seal: { formats, platforms },
    ...options
  }: {
    readonly seal: OciSealConfig;
    readonly serverName: string;
    /** Name and version of this program in the signatures. */
    readonly agent: string;
    /** Host name in the references of images; empty when the registry does not know it. */
    readonly registry: string;
    readonly now: () => Date;
  },
): Promise<SealingParts> {
  const { database, blobs } = parts;
  const { registry, agent, now } = options;
  return {
    catalog: database.oci,
    leases: database.leases,
    files: imageFiles(blobs.oci),
    keys: await sealKeysOf(parts, options),
    options: { formats, registry, agent, caller: SYSTEM },
    platforms,
    now,
  };
}
