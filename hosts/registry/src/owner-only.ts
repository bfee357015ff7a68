import { join } from "node:path";
import { restrictToOwner } from "@sealhouse/storage-providers";
import type { Log } from "./log.ts";
import type { Config } from "./settings/config.ts";

type OwnedFolders = Pick<Config, "dataPath" | "database" | "storage" | "host">;

/** Restricts the folders and files that the host keeps to their owner. */
export function restrictFolders(
  config: OwnedFolders,
  log: Log,
): ReturnType<typeof restrictToOwner> {
  return restrictToOwner({ folders: foldersOf(config), files: databaseFiles(config), log });
}

/** Without those that lie in another one. */
function foldersOf({ dataPath, storage, host }: OwnedFolders): readonly string[] {
  const stored = storage.type === "FileSystem" ? [storage.path] : [];
  const all = [...new Set([dataPath, host.keyRing.path, ...stored])];
  return all.filter((path) => !all.some((other) => path.startsWith(join(other, "/"))));
}

function databaseFiles({ database }: OwnedFolders): readonly string[] {
  if (database.type !== "Sqlite") return [];
  return ["", "-wal", "-shm"].map((end) => `${database.path}${end}`);
}
