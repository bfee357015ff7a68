import type { StorageExtension } from "@sealhouse/storage-providers";
import { readAzureConfig } from "./azure-config.ts";
import { openAzureStore } from "./azure-store.ts";
import type { AzureLimits } from "./azure-parts.ts";
import { AZURE_BLOB_SETTINGS } from "./settings/table.ts";

export { openAzureStore } from "./azure-store.ts";
export type { AzureAccount, AzureOptions } from "./azure-config.ts";
export type { AzureLimits } from "./azure-parts.ts";

/** Brings the storage type `AzureBlobStorage`, with other limits of its calls. */
export function azureBlobStorage(limits: AzureLimits = {}): StorageExtension {
  return {
    name: "@sealhouse/storage-azure-blob",
    storageTypes: {
      AzureBlobStorage: {
        settings: AZURE_BLOB_SETTINGS,
        open: async (context) => openAzureStore(readAzureConfig(context), limits),
      },
    },
  };
}

/** The export that the host expects of an extension module. */
export const extension: StorageExtension = azureBlobStorage();
