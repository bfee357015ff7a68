import { openFilesystemStore } from "@sealhouse/storage-providers/filesystem";
import { StorageSettingError } from "@sealhouse/storage-providers";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { Extension } from "../../extension.ts";
import { ConfigError } from "../../settings/load.ts";
import type { StorageConfig } from "@sealhouse/storage-providers/settings";

export async function openStorage(
  config: StorageConfig,
  extensions: readonly Extension[],
): Promise<ObjectStore> {
  const store = await openStore(config, extensions);
  if (!config.redirectsDownloads || store.presign) return store;
  await store[Symbol.asyncDispose]();
  const type = config.type === "FileSystem" ? config.type : config.name;
  throw new ConfigError([
    `Storage__RedirectDownloads: the storage ${type} has no presigned URLs with these settings; ` +
      "set it to false",
  ]);
}

async function openStore(
  config: StorageConfig,
  extensions: readonly Extension[],
): Promise<ObjectStore> {
  if (config.type === "FileSystem") return openFilesystemStore({ root: config.path });
  const { name, values, named } = config;
  const types = extensions.map((extension) => extension.storageTypes?.[name]);
  const type = types.find((candidate) => candidate !== undefined);
  if (!type) throw new TypeError(`no extension brings the storage type ${name}`);
  try {
    return await type.open({ values, named });
  } catch (error) {
    if (!(error instanceof StorageSettingError)) throw error;
    throw new ConfigError([`${error.key}: ${error.message}`]);
  }
}
