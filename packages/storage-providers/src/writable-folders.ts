import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** A folder that must be written cannot be written. */
export class FolderError extends Error {
  override readonly name = "FolderError";
  readonly code = "folder-unusable";
}

/** A folder and the setting that names it. */
export type NamedFolder = { readonly setting: string; readonly path: string };

/**
 * Checks that folders can be written or created. Changes nothing.
 *
 * @throws FolderError that names all unusable folders, each with its setting
 */
export async function requireWritable(folders: readonly NamedFolder[]): Promise<void> {
  const problems: string[] = [];
  for (const folder of folders) {
    const problem = await problemOf(folder);
    if (problem !== undefined && !problems.includes(problem)) problems.push(problem);
  }
  if (problems.length > 0) throw new FolderError(problems.join("\n"));
}

/** For a missing folder, the nearest existing parent must be writable for the process. */
async function problemOf({ setting, path }: NamedFolder): Promise<string | undefined> {
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

/** Whether the path is a folder. */
export async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}

/** Whether there is something at the path. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
