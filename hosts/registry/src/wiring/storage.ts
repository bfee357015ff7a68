import { openFilesystemStore } from "@sealhouse/storage-providers/filesystem";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { Extension } from "../extension.ts";
import type { StorageConfig } from "../settings/storage.ts";

export async function openStorage(
  config: StorageConfig,
  extensions: readonly Extension[],
): Promise<ObjectStore> {
  if (config.type === "FileSystem") return openFilesystemStore({ root: config.path });
  const types = extensions.map((one) => one.storageTypes?.[config.name]);
  const type = types.find((one) => one !== undefined);
  if (!type) throw new TypeError(`no extension brings the storage type ${config.name}`);
  return type.open(config.values);
}
