import { chmod, lstat, opendir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, parse } from "node:path";
import type { Log } from "./log.ts";
import type { Config } from "./settings/config.ts";

/** The permission bits of the group and of all other users. */
const OTHERS = 0o077;

type Totals = { corrected: number; failed: number };

/**
 * Takes the permissions of all others away from the folders and files that the host keeps, as older
 * versions made them. The outermost folders are corrected when this resolves, which already locks
 * others out; what is below follows in the background. `ended` resolves when that is done.
 */
export async function restrictToOwner(
  config: Pick<Config, "dataPath" | "database" | "storage" | "host">,
  log: Log,
): Promise<{ readonly ended: Promise<void> }> {
  const totals: Totals = { corrected: 0, failed: 0 };
  const named = await Promise.all(
    foldersOf(config).map((path) => realpath(path).catch(() => path)),
  );
  const folders = named.filter((path) => !isShared(path));
  for (const path of [...folders, ...databaseFiles(config)]) await restrict(path, totals);
  return { ended: restrictBelow(folders, totals, log) };
}

/** Without those that lie in another one. */
function foldersOf({ dataPath, storage, host }: Parameters<typeof restrictToOwner>[0]) {
  const stored = storage.type === "FileSystem" ? [storage.path] : [];
  const all = [...new Set([dataPath, host.keyRing.path, ...stored])];
  return all.filter((path) => !all.some((other) => path.startsWith(join(other, "/"))));
}

function databaseFiles({ database }: Parameters<typeof restrictToOwner>[0]): readonly string[] {
  if (database.type !== "Sqlite") return [];
  return ["", "-wal", "-shm"].map((end) => `${database.path}${end}`);
}

/** A path that holds what is not the host's: only a mistake in the settings names it. */
function isShared(path: string): boolean {
  const home = homedir();
  return path === parse(path).root || path === home || path === dirname(home);
}

async function restrictBelow(folders: readonly string[], totals: Totals, log: Log): Promise<void> {
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for await (const path of foldersIn(folder, totals)) waiting.push(path);
  }
  const { corrected, failed } = totals;
  if (corrected > 0) log.info({ corrected }, "restricted files and folders to their owner");
  if (failed > 0) log.warn({ failed }, "could not restrict files and folders to their owner");
}

/** Restricts what is directly in a folder, and gives the folders among it. */
async function* foldersIn(folder: string, totals: Totals): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      await restrict(path, totals);
      if (entry.isDirectory()) yield path;
    }
  } catch (error) {
    if (!isGone(error)) totals.failed += 1;
  }
}

/** Links stay unchanged: their target may belong to another user. */
async function restrict(path: string, totals: Totals): Promise<void> {
  try {
    const found = await lstat(path);
    const isKept = found.isFile() || found.isDirectory();
    if (!isKept || (found.mode & OTHERS) === 0) return;
    await chmod(path, found.mode & 0o700);
    totals.corrected += 1;
  } catch (error) {
    if (!isGone(error)) totals.failed += 1;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
