import type { FileHandle } from "node:fs/promises";
import { link, mkdir, open, readFile, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KeyRingError } from "./errors.ts";

export const KEY_BYTES = 32;

const FIRST_KEY = "00000001.key";
const KEY_FILE = /^\d{8}\.key$/;
/** 32 bytes as base64url, and an optional newline. */
const KEY_TEXT = /^[A-Za-z0-9_-]{43}\n?$/;
/** Waits while another process writes the key file that it created. */
const FILL_WAITS_MS = [5, 20, 50, 100, 250, 500] as const;
/** Some network file systems lack hard links. */
const NO_HARD_LINKS: ReadonlySet<unknown> = new Set([
  "EPERM",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EMLINK",
]);

/**
 * Reads the keys of a folder, oldest first. Creates the folder and the first key when they are
 * missing. Processes that start together create one key.
 *
 * @throws KeyRingError `bad-key-file` for a key file without a valid key
 */
export async function readOrCreateKeys(
  folder: string,
  random: (size: number) => Uint8Array,
): Promise<readonly Uint8Array[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await keyFilesIn(folder)).length === 0) await createFirstKey(folder, random);
  const names = await keyFilesIn(folder);
  return Promise.all(names.map((name) => readKey(join(folder, name))));
}

/** Whether a folder exists and contains a key. */
export async function hasKeys(folder: string): Promise<boolean> {
  try {
    return (await keyFilesIn(folder)).length > 0;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Returns a warning when other users may read the keys. Windows has no such check. */
export async function warningAbout(folder: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  for (const name of await keyFilesIn(folder)) {
    const path = join(folder, name);
    if (((await stat(path)).mode & 0o077) === 0) continue;
    return `Other users can read the key ${path}. Run: chmod 600 "${path}"`;
  }
  return undefined;
}

async function keyFilesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => KEY_FILE.test(name)).toSorted();
}

/** Writes the key under a temporary name, so that a crash leaves no empty key file. */
async function createFirstKey(folder: string, random: (size: number) => Uint8Array) {
  const text = `${Buffer.from(random(KEY_BYTES)).toString("base64url")}\n`;
  const path = join(folder, FIRST_KEY);
  const draft = join(folder, `.${Buffer.from(random(8)).toString("hex")}.new`);
  await createFile(draft, text);
  try {
    await link(draft, path);
  } catch (error) {
    const code = codeOf(error);
    if (NO_HARD_LINKS.has(code)) await createFile(path, text).catch(ignoreExisting);
    else ignoreExisting(error);
  } finally {
    await unlink(draft);
  }
  await syncFolder(folder);
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

async function readKey(path: string): Promise<Uint8Array> {
  let text = await readFile(path, "utf8");
  for (const waitMs of FILL_WAITS_MS) {
    if (KEY_TEXT.test(text)) break;
    await sleep(waitMs);
    text = await readFile(path, "utf8");
  }
  if (KEY_TEXT.test(text)) return Buffer.from(text.trim(), "base64url");
  throw new KeyRingError(
    "bad-key-file",
    `${path} does not contain a key. Restore it from a backup; data encrypted with it cannot be ` +
      `read without it. If no data is encrypted yet, delete the file and restart.`,
  );
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
