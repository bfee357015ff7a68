import type { FileHandle } from "node:fs/promises";
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KeyRingError } from "../errors.ts";
import type { StoredKey } from "./key-format.ts";
import { parseKey } from "./key-format.ts";
import type { WrappingKey } from "./wrapping-key.ts";

/** A key file with its content. */
export type KeyFile = Omit<StoredKey, "createdAt"> & {
  /** Position in the ring: the file name without its extension. */
  readonly number: number;
  /** The date in the file. A file of the first format has none: its modification time. */
  readonly createdAt: Date;
};

/** The folder of a key ring. */
export type KeyFolder = {
  readonly path: string;
  readonly wrappingKey?: WrappingKey | undefined;
  readonly random: (size: number) => Uint8Array;
  /** Creates hard links; default: the file system. */
  readonly link?: typeof link;
};

const KEY_FILE = /^\d{8}\.key$/;
/** Files that become key files; a killed process may leave one. */
const DRAFT = /^\.[0-9a-f]{16}\.new$/;
const DRAFT_AGE_MAX_MS = 60 * 60 * 1000;
/** Waits while an older release writes the key file that it created. */
const FILL_WAITS_MS = [5, 20, 50, 100, 250, 500] as const;
/** Some network file systems lack hard links. */
const NO_HARD_LINKS: ReadonlySet<unknown> = new Set([
  "EPERM",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EMLINK",
]);
/** Where a key file is a folder, its only file has this name. */
const INNER_FILE = "key";

/** Whether a folder exists and contains a key. */
export async function hasKeys(folder: string): Promise<boolean> {
  try {
    return (await keyNamesIn(folder)).length > 0;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/**
 * Reads the keys of a folder, oldest first.
 *
 * @throws KeyRingError `bad-key-file`, `wrapping-key-missing`, `wrapping-key-wrong`
 */
export async function readKeyFiles(folder: KeyFolder): Promise<readonly KeyFile[]> {
  const names = await keyNamesIn(folder.path);
  return Promise.all(names.map((name) => readKeyFile(folder, name)));
}

/** Returns a warning when other users may read the keys. Windows has no such check. */
export async function warningAbout(folder: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  for (const name of await keyNamesIn(folder)) {
    const path = join(folder, name);
    const stats = await stat(path);
    if ((stats.mode & 0o077) === 0) continue;
    const mode = stats.isDirectory() ? "700" : "600";
    return `Other users can read the key ${path}. Run: chmod ${mode} "${path}"`;
  }
  return undefined;
}

/**
 * Creates a complete key file. A kill leaves at most a draft. Of several processes that create one
 * number, one succeeds. Without hard links the key file is a folder, because only the renaming of a
 * folder fails when the name is taken.
 */
export async function createKeyFile(
  folder: KeyFolder,
  number: number,
  text: string,
): Promise<"created" | "exists"> {
  const path = join(folder.path, keyFileName(number));
  const outcome = await withDraft(folder, async (draft) => {
    await createFile(draft, text);
    try {
      await (folder.link ?? link)(draft, path);
      return "created";
    } catch (error) {
      if (codeOf(error) === "EEXIST") return "exists";
      if (NO_HARD_LINKS.has(codeOf(error))) return undefined;
      throw error;
    }
  });
  return outcome ?? withDraft(folder, (draft) => createAsFolder({ draft, path, text }));
}

/** Replaces the content of a key file; a kill leaves the former content or the new one. */
export async function replaceKeyFile(
  folder: KeyFolder,
  number: number,
  text: string,
): Promise<void> {
  const path = join(folder.path, keyFileName(number));
  const isFolder = (await stat(path)).isDirectory();
  await withDraft(folder, async (draft) => {
    await createFile(draft, text);
    await rename(draft, isFolder ? join(path, INNER_FILE) : path);
    if (isFolder) await syncFolder(path);
  });
}

/** Deletes what killed processes left more than an hour ago; it may contain an unwrapped key. */
export async function deleteOldDrafts(folder: string, now: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!DRAFT.test(name)) continue;
    const path = join(folder, name);
    const { mtime } = await stat(path).catch(() => ({ mtime: now }));
    if (now.getTime() - mtime.getTime() < DRAFT_AGE_MAX_MS) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function readKeyFile(folder: KeyFolder, name: string): Promise<KeyFile> {
  const path = join(folder.path, name);
  const number = Number.parseInt(name, 10);
  const options = { path, wrappingKey: folder.wrappingKey };
  for (const waitMs of [...FILL_WAITS_MS, undefined]) {
    const storedKey = parseKey(await textOf(path), options);
    if (storedKey) {
      const createdAt = storedKey.createdAt ?? (await stat(path)).mtime;
      return { ...storedKey, number, createdAt };
    }
    if (waitMs !== undefined) await sleep(waitMs);
  }
  throw new KeyRingError(
    "bad-key-file",
    `${path} does not contain a key. Restore it from a backup; data encrypted with it cannot be ` +
      `read without it. If no data is encrypted yet, delete the file and restart.`,
  );
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) !== "EISDIR") throw error;
    return readFile(join(path, INNER_FILE), "utf8");
  }
}

async function keyNamesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => KEY_FILE.test(name)).toSorted();
}

/** Returns the name of a key file: eight digits and `.key`. */
export function keyFileName(number: number): string {
  return `${String(number).padStart(8, "0")}.key`;
}

/** Runs with a new name in the folder, deletes what has this name afterwards, and syncs. */
async function withDraft<T>(
  { path, random }: KeyFolder,
  work: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = join(path, `.${Buffer.from(random(8)).toString("hex")}.new`);
  let result: T;
  try {
    result = await work(draft);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await syncFolder(path);
  return result;
}

type FolderDraft = { readonly draft: string; readonly path: string; readonly text: string };

async function createAsFolder({ draft, path, text }: FolderDraft): Promise<"created" | "exists"> {
  await mkdir(draft, { mode: 0o700 });
  await createFile(join(draft, INNER_FILE), text);
  await syncFolder(draft);
  try {
    await rename(draft, path);
    return "created";
  } catch (error) {
    // Systems name the reason differently: the folder is not empty, or a file has the name.
    if (await exists(path)) return "exists";
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function createFile(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await using handle: FileHandle = await open(folder, "r");
  await handle.sync();
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
