import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type TemporaryFolder = AsyncDisposable & { readonly path: string };

/** The beginning of the names of all temporary folders, by which a later process finds them. */
export const TEMPORARY_PREFIX = "sealhouse-advisories-";
/** Longer than any download or import takes. */
const ABANDONED_AFTER_MS = 60 * 60_000;

/** Creates a folder in the system's temporary folder; disposal deletes it. */
export async function openTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), TEMPORARY_PREFIX));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Deletes the temporary folders of killed processes of the same user, and returns their number.
 * Skips folders that it cannot delete.
 */
export async function removeAbandonedFolders(now: Date): Promise<number> {
  const names = await readdir(tmpdir()).catch(() => []);
  let removed = 0;
  for (const name of names.filter((entryName) => entryName.startsWith(TEMPORARY_PREFIX))) {
    const path = join(tmpdir(), name);
    try {
      if (!(await isAbandoned(path, now))) continue;
      await rm(path, { recursive: true, force: true });
      removed += 1;
    } catch {
      // Another instance may have deleted it, or the folder belongs to another user.
    }
  }
  return removed;
}

async function isAbandoned(path: string, now: Date): Promise<boolean> {
  const stats = await lstat(path);
  const isOwn = process.getuid === undefined || stats.uid === process.getuid();
  return stats.isDirectory() && isOwn && now.getTime() - stats.mtimeMs > ABANDONED_AFTER_MS;
}
