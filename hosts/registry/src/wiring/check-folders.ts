import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasKeys } from "@sealhouse/identity";
import type { Config } from "../settings/config.ts";

/** A folder that the host has to write at its start cannot be written. */
export class FolderError extends Error {
  override readonly name = "FolderError";
  readonly code = "folder-unusable";
}

type Folder = { readonly setting: string; readonly path: string };

export type FolderConfig = Pick<Config, "dataPath" | "database" | "storage" | "host">;

/**
 * Looks at the folders that the start writes to, and changes nothing.
 *
 * @throws FolderError that names all of them, each with its setting
 */
export async function checkFolders(config: FolderConfig): Promise<void> {
  const problems: string[] = [];
  for (const folder of await writtenFolders(config)) {
    const problem = await problemOf(folder);
    if (problem !== undefined && !problems.includes(problem)) problems.push(problem);
  }
  if (problems.length > 0) throw new FolderError(problems.join("\n"));
}

/**
 * Only reads existing keys and an existing pepper. An existing storage folder may be read-only:
 * then the host serves its contents, and its health reports that.
 */
async function writtenFolders(config: FolderConfig): Promise<readonly Folder[]> {
  const { dataPath, database, host, storage } = config;
  const { pepper, keyRing } = host;
  const all: Folder[] = [];
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
    all.push({ setting: "Database__ConnectionString", path: dirname(database.path) });
  }
  return all.map((folder) =>
    `${folder.path}/`.startsWith(join(dataPath, "/"))
      ? { setting: "Host__DataPath", path: dataPath }
      : folder,
  );
}

/** For a missing folder, the nearest existing parent must be writable for the host. */
async function problemOf({ setting, path }: Folder): Promise<string | undefined> {
  let nearest = path;
  while (!(await exists(nearest)) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  const reason = (await isFolder(nearest)) ? await whyReadOnly(nearest) : "is not a folder";
  if (reason === undefined) return undefined;
  const what =
    nearest === path
      ? `the folder ${path} ${reason}`
      : `the folder ${path} does not exist and cannot be created: ${nearest} ${reason}`;
  return `${setting}: ${what}. Correct its owner or its mount, or set ${setting} to another place.`;
}

async function whyReadOnly(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    const reasons: Readonly<Record<string, string>> = {
      EROFS: "is on a read-only file system",
      EACCES: "cannot be written by the user of this process",
    };
    return `${reasons[code] ?? "cannot be written"} (${code})`;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
