import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link as hardLink, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** An empty and migrated SQLite file, compressed with Brotli, which the build writes. */
const EMPTY_FILE = fileURLToPath(new URL("../../dist/empty.sqlite.br", import.meta.url));
const decompress = promisify(brotliDecompress);

const DRAFT = /\.[\da-f-]{36}\.new$/;
/** A killed process may leave a draft. */
const DRAFT_AGE_MAX_MS = 60 * 60_000;

/**
 * Creates a database file as a copy of the empty one, so that a first start loads no ORM. A kill
 * leaves the whole file or no file; of several processes, one succeeds. Returns whether this one
 * did. Otherwise the file exists, or the migrations have to create the tables: the package has no
 * empty file, or the file system has no hard links. Opening the database reports all other errors.
 */
export async function createSqliteFile(
  path: string,
  { emptyFile = EMPTY_FILE, link = hardLink } = {},
): Promise<boolean> {
  // SQLite would replay the log of a removed database into the copy.
  if (["", "-wal", "-journal"].some((end) => existsSync(path + end))) return false;
  const draft = `${path}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await removeOldDrafts(path);
    await writeDurably(draft, await readEmptyFile(emptyFile));
    // A rename could replace the file that another process has just opened.
    await link(draft, path);
    await syncFolder(dirname(path));
    return true;
  } catch {
    return false;
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** The bytes of the empty SQLite file. Throws when the build has not written it. */
export async function readEmptyFile(path = EMPTY_FILE): Promise<Buffer> {
  return decompress(await readFile(path));
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, "wx", 0o644);
  await file.writeFile(bytes);
  await file.sync();
}

/** Windows cannot sync a folder, and needs no sync. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  await using folder = await open(path, "r");
  await folder.sync();
}

async function removeOldDrafts(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(name) || !DRAFT.test(entry)) continue;
    const draft = join(folder, entry);
    const { mtimeMs } = await stat(draft);
    if (Date.now() - mtimeMs > DRAFT_AGE_MAX_MS) await rm(draft, { force: true });
  }
}
