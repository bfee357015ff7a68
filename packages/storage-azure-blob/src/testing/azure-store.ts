import type { ObjectStore } from "@sealhouse/storage-providers";
import { azureBlobStorage } from "../index.ts";
import type { AzureLimits } from "../index.ts";

/** Opens a store as the host does, with the texts of its settings. */
export function openStore(
  values: Readonly<Record<string, string>>,
  {
    limits = {},
    environment = {},
  }: {
    readonly limits?: AzureLimits;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<ObjectStore> {
  const type = azureBlobStorage(limits).storageTypes["AzureBlobStorage"];
  if (!type) throw new TypeError("the extension has no such type");
  const named = (name: string): string | undefined => environment[name];
  return type.open({ values, named });
}
