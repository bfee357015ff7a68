import type { StorageExtension, StorageType } from "@sealhouse/storage-providers";
import { readGoogleConfig } from "./google-config.ts";
import type { GoogleLimits } from "./google-parts.ts";
import { openGoogleStore } from "./google-store.ts";
import { GOOGLE_CLOUD_SETTINGS } from "./settings/table.ts";

export { openGoogleStore } from "./google-store.ts";
export type { GoogleConfig } from "./google-config.ts";
export type { GoogleLimits } from "./google-parts.ts";

/** Brings the storage type `Gcs`, also as `GoogleCloudStorage`, with other limits of its calls. */
export function googleCloudStorage(limits: GoogleLimits = {}): StorageExtension {
  const type: StorageType = {
    settings: GOOGLE_CLOUD_SETTINGS,
    open: async (context) => openGoogleStore(readGoogleConfig(context), limits),
  };
  return {
    name: "@sealhouse/storage-google-cloud",
    storageTypes: { Gcs: type, GoogleCloudStorage: type },
  };
}

/** The export that the host expects of an extension module. */
export const extension: StorageExtension = googleCloudStorage();
