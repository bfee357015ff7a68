import { join, resolve } from "node:path";
import { optionOf } from "@sealhouse/settings";
import type { ExtensionChoice, Settings } from "@sealhouse/settings";
import type { StorageExtension } from "../storage-type.ts";
import { STORAGE_SETTINGS } from "./table.ts";

export type StorageConfig = {
  /** Whether clients download from the store by presigned URLs. */
  readonly redirectsDownloads: boolean;
} & (
  | { readonly type: "FileSystem"; readonly path: string }
  | ({
      readonly type: "Extension";
      /** Returns any setting or environment variable by name. */
      readonly named: (name: string) => string | undefined;
    } & ExtensionChoice)
);

/** Parses the storage settings. `dataPath` is the default folder of file-backed storage. */
export function parseStorage(
  settings: Settings,
  dataPath: string,
  extensions: readonly Partial<Pick<StorageExtension, "storageTypes">>[],
): StorageConfig {
  const choice = optionOf(
    settings,
    "Storage__Type",
    extensions.map((extension) => extension.storageTypes ?? {}),
  );
  const own = settings.of(STORAGE_SETTINGS);
  const redirectsDownloads = own.get("Storage__RedirectDownloads");
  if (choice) {
    const named = (name: string) => settings.named(name);
    return { type: "Extension", ...choice, named, redirectsDownloads };
  }
  const type = own.get("Storage__Type");
  const path = own.get("Storage__Path");
  return {
    type,
    path: path === undefined ? join(dataPath, "packages") : resolve(path),
    redirectsDownloads,
  };
}
