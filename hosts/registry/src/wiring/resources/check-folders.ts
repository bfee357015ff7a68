import { dirname, join } from "node:path";
import { hasKeys } from "@sealhouse/identity";
import { exists, isFolder, requireWritable } from "@sealhouse/storage-providers";
import type { NamedFolder } from "@sealhouse/storage-providers";
import type { Config } from "../../settings/config.ts";

export type FolderConfig = Pick<Config, "dataPath" | "database" | "storage" | "host">;

/**
 * Checks the folders that the start writes to, and changes nothing.
 *
 * @throws FolderError that names all of them, each with its setting
 */
export async function checkFolders(config: FolderConfig): Promise<void> {
  await requireWritable(await writtenFolders(config));
}

/**
 * Only reads existing keys and an existing pepper. An existing storage folder may be read-only:
 * then the host serves its contents, and its health reports that.
 */
async function writtenFolders(config: FolderConfig): Promise<readonly NamedFolder[]> {
  const { dataPath, database, host, storage } = config;
  const { pepper, keyRing } = host;
  const all: NamedFolder[] = [];
  if (pepper.type === "generated" && !(await exists(pepper.path))) {
    all.push({ setting: "Host__DataPath", path: dirname(pepper.path) });
  }
  if (!(await exists(keyRing.path)) || !(await hasKeys(keyRing.path))) {
    all.push({ setting: "Host__DataProtection__KeyPath", path: keyRing.path });
  }
  if (storage.type === "FileSystem" && !(await isFolder(storage.path))) {
    all.push({ setting: "Storage__Path", path: storage.path });
  }
  if (database.type === "Sqlite") {
    const { setting = "Database__ConnectionString", path } = database;
    all.push({ setting, path: dirname(path) });
  }
  return all.map((folder) =>
    `${folder.path}/`.startsWith(join(dataPath, "/"))
      ? { setting: "Host__DataPath", path: dataPath }
      : folder,
  );
}
