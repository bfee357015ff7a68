import { chmod, lstat, opendir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, parse } from "node:path";

/** The permission bits of the group and of all other users. */
const OTHERS = 0o077;

type Totals = { corrected: number; failed: number };

/** Folders and files to restrict, and where the number of corrections goes. */
export type RestrictOptions = {
  /** With everything in them. Folders of a user's home or of the whole system are left out. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
  readonly log: Readonly<Record<"info" | "warn", (fields: object, message: string) => void>>;
};

/**
 * Removes the permissions of all other users from folders and files, as older versions created
 * them. The outermost folders are corrected when this resolves, which already locks others out; the
 * contents follow in the background. `ended` resolves when that is done.
 */
export async function restrictToOwner({
  folders: paths,
  files,
  log,
}: RestrictOptions): Promise<{ readonly ended: Promise<void> }> {
  const totals: Totals = { corrected: 0, failed: 0 };
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
  const folders = real.filter((path) => !isShared(path));
  for (const path of [...folders, ...files]) await restrict(path, totals);
  return { ended: restrictBelow(folders, totals, log) };
}

/** Whether a folder holds what is not the host's: only a mistake in the settings names it. */
function isShared(path: string): boolean {
  const home = homeOfUser();
  const isHome = home !== undefined && (path === home || path === dirname(home));
  return isHome || path === parse(path).root;
}

/** A user of a container or of systemd may have a number only: no name and no home. */
function homeOfUser(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

async function restrictBelow(
  folders: readonly string[],
  totals: Totals,
  log: RestrictOptions["log"],
): Promise<void> {
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
    const stats = await lstat(path);
    const isKept = stats.isFile() || stats.isDirectory();
    if (!isKept || (stats.mode & OTHERS) === 0) return;
    await chmod(path, stats.mode & 0o700);
    totals.corrected += 1;
  } catch (error) {
    if (!isGone(error)) totals.failed += 1;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
