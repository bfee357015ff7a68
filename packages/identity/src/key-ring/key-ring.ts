import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KeyRingError } from "../errors.ts";
import type { KeyFile, KeyFolder } from "./key-folder.ts";
import {
  createKeyFile,
  deleteOldDrafts,
  hasKeys,
  keyFileName,
  readKeyFiles,
  replaceKeyFile,
  warningAbout,
} from "./key-folder.ts";
import { formatKey, KEY_BYTES } from "./key-format.ts";
import type { RingKey } from "./protection.ts";
import { decrypt, encrypt, keyIdOf, NONCE_BYTES, ringKeyOf } from "./protection.ts";
import type { WrappingKeySource } from "./wrapping-key.ts";
import { openWrappingKey } from "./wrapping-key.ts";

/** Settings of `openKeyRing`. */
export type KeyRingOptions = {
  /** Folder of the key files; undefined creates a key that exists only in this process. */
  readonly path?: string | undefined;
  /** Part of the key derivation: keys of another name cannot decrypt the data. */
  readonly applicationName?: string;
  /** Encrypts the keys in the key files; undefined when the files contain them in plain text. */
  readonly wrappingKey?: WrappingKeySource | undefined;
  /** Returns cryptographically random bytes. */
  readonly random: (size: number) => Uint8Array;
  /** Clock of the ages of the keys; default: the system's. */
  readonly now?: () => Date;
  /** Creates hard links; default: the file system. */
  readonly link?: KeyFolder["link"];
};

/** Encrypts secrets at rest, and derives keys for other purposes. */
export type KeyRing = {
  /** Warnings for the operator at startup. */
  readonly warnings: readonly string[];
  /** Whether the first key was created now. */
  readonly isNew: boolean;
  /** Encrypts bytes with the newest known key. Decryption requires the same purpose. */
  protect(purpose: string, bytes: Uint8Array): Uint8Array;
  /**
   * Decrypts bytes. Reads the folder again for a key that another instance has added, at most once
   * a second. Rejects with a KeyRingError `unknown-key`, `not-protected`, or `tampered` (also for
   * another purpose); errors of the folder propagate.
   */
  unprotect(purpose: string, bytes: Uint8Array): Promise<Uint8Array>;
  /** Derives 32 bytes from the oldest key, which a rotation does not change. */
  derive(purpose: string): Uint8Array;
  /** The known keys, oldest first. */
  keys(): readonly KeyDescription[];
  /**
   * Adds a key when the newest is 90 days old (`due`) or in any case (`now`), and reads the keys of
   * other instances. Resolves to the new key; undefined when none was due or another instance added
   * it. File system errors propagate, and the known keys stay in use.
   */
  rotate(when: "due" | "now"): Promise<KeyDescription | undefined>;
  /**
   * Encrypts key files that are in plain text although a wrapping key is set, and deletes
   * unfinished files of killed processes. Resolves to the number of encrypted files. File system
   * errors propagate.
   */
  wrapFiles(): Promise<number>;
};

/** A key of the ring, without its secret. */
export type KeyDescription = {
  /** 16 hex digits, which every value contains that the key encrypted. */
  readonly id: string;
  /** Name of the key file without its extension; 0 for a key of this process. */
  readonly number: number;
  readonly createdAt: Date;
  /** Whether the key file is encrypted with the wrapping key. */
  readonly isWrapped: boolean;
  /** Whether new values are encrypted with this key. */
  readonly isNewest: boolean;
};

const APPLICATION_NAME = "sealhouse";
const FIRST_NUMBER = 1;
const ROTATION_AGE_MS = 90 * 24 * 60 * 60 * 1000;
const READ_INTERVAL_MS = 1000;

type LoadedKey = RingKey & KeyFile;

/**
 * Opens the key ring with all keys of a folder (mode 0700, files 0600). Creates the first key when
 * the folder has none; processes that start together create one key.
 *
 * @throws KeyRingError `bad-key-file`, `bad-wrapping-key`, `wrapping-key-missing` or
 *   `wrapping-key-wrong`; file system errors propagate
 */
export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { path, random, applicationName = APPLICATION_NAME, now = () => new Date() } = options;
  if (path === undefined) return createMemoryRing({ applicationName, random, now });
  const wrappingKey = options.wrappingKey && (await openWrappingKey(options.wrappingKey));
  const folder: KeyFolder = {
    path,
    wrappingKey,
    random,
    ...(options.link && { link: options.link }),
  };
  const isNew = !(await hasKeys(path));
  if (isNew) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await addKey(folder, FIRST_NUMBER, now());
  }
  const loaded = await openLoadedKeys(folder, applicationName);
  const warnings = [await warningAbout(path), warningAboutGap(loaded.descriptions(), path)];
  return {
    ...ringOf(loaded, random),
    warnings: warnings.filter((warning) => warning !== undefined),
    isNew,
    async rotate(when) {
      await loaded.read();
      const { number, createdAt } = loaded.newest();
      const isDue = now().getTime() - createdAt.getTime() >= ROTATION_AGE_MS;
      if (when === "due" && !isDue) return undefined;
      const added = number + 1;
      const outcome = await addKey(folder, added, now());
      await loaded.read();
      if (outcome === "exists") return undefined;
      // Another process may have added the next key since then.
      return loaded.descriptions().find((key) => key.number === added);
    },
    async wrapFiles() {
      await deleteOldDrafts(path, now());
      if (!wrappingKey) return 0;
      await loaded.read();
      const plainKeys = loaded.all().filter(({ isWrapped }) => !isWrapped);
      for (const key of plainKeys) {
        await replaceKeyFile(folder, key.number, formatKey(key, { wrappingKey, random }));
      }
      if (plainKeys.length > 0) await loaded.read();
      return plainKeys.length;
    },
  };
}

async function addKey(folder: KeyFolder, number: number, createdAt: Date) {
  const { random, wrappingKey } = folder;
  const text = formatKey({ secret: random(KEY_BYTES), createdAt }, { wrappingKey, random });
  return createKeyFile(folder, number, text);
}

/** The keys that this process knows. */
type LoadedKeys = {
  all(): readonly LoadedKey[];
  oldest(): RingKey;
  newest(): LoadedKey;
  find(id: string): LoadedKey | undefined;
  descriptions(): readonly KeyDescription[];
  /** Reads the folder now. */
  read(): Promise<void>;
  /** Reads the folder, a second after the last time or later. Concurrent calls share one read. */
  readSoon(): Promise<void>;
  readonly place: string;
};

async function openLoadedKeys(folder: KeyFolder, applicationName: string): Promise<LoadedKeys> {
  const load = async () => {
    const files = await readKeyFiles(folder);
    return files.map((file) => ({ ...file, ...ringKeyOf(file.secret, applicationName) }));
  };
  let keys = await load();
  const [oldest] = keys;
  if (!oldest) throw new KeyRingError("bad-key-file", `${folder.path} contains no keys.`);
  let readAtMs = performance.now();
  let lastRead: Promise<void> = Promise.resolve();
  let pending: Promise<void> | undefined;
  const readOnce = async () => {
    readAtMs = performance.now();
    const current = await load();
    requireAll(keys, current, folder.path);
    keys = current;
  };
  // One read at a time: the slower of two could forget a key that the other has read.
  const read = () => (lastRead = lastRead.then(readOnce, readOnce));
  const readLater = async () => {
    await sleep(Math.max(0, readAtMs + READ_INTERVAL_MS - performance.now()));
    // A key may be newer than a read that has begun: later calls wait for the next read.
    pending = undefined;
    await read();
  };
  return {
    all: () => keys,
    oldest: () => oldest,
    newest: () => keys.at(-1) ?? oldest,
    find: (id) => keys.find((key) => key.id === id),
    descriptions: () => describe(keys),
    read,
    readSoon: () => (pending ??= readLater()),
    place: `${folder.path} holds`,
  };
}

function ringOf(
  loaded: LoadedKeys,
  random: (size: number) => Uint8Array,
): Pick<KeyRing, "protect" | "unprotect" | "derive" | "keys"> {
  return {
    protect: (purpose, bytes) =>
      encrypt({ key: loaded.newest(), purpose, nonce: random(NONCE_BYTES) }, bytes),
    async unprotect(purpose, bytes) {
      const id = keyIdOf(bytes);
      if (!loaded.find(id)) await loaded.readSoon();
      const key = loaded.find(id);
      if (!key) throw new KeyRingError("unknown-key", unknownKey(id, loaded.place));
      return decrypt(key, purpose, bytes);
    },
    derive: (purpose) => loaded.oldest().derive(`derive/${purpose}`),
    keys: () => loaded.descriptions(),
  };
}

/**
 * A ring that continued without a key would count its numbers and derive its secrets differently
 * after the next start.
 */
function requireAll(
  known: readonly LoadedKey[],
  current: readonly LoadedKey[],
  path: string,
): void {
  const ids = new Set(current.map(({ id }) => id));
  const lost = known.find(({ id }) => !ids.has(id));
  if (!lost) return;
  throw new KeyRingError(
    "bad-key-file",
    `${join(path, keyFileName(lost.number))} is missing or has another key than at the start. ` +
      "Restore it from a backup.",
  );
}

/** A key file has the number after the one before. */
function warningAboutGap(keys: readonly KeyDescription[], path: string): string | undefined {
  const gap = keys.findIndex(({ number }, index) => number !== index + FIRST_NUMBER);
  if (gap < 0) return undefined;
  const name = keyFileName(gap + FIRST_NUMBER);
  return `The key file ${join(path, name)} is missing. Restore it from a backup.`;
}

type MemoryRingOptions = Pick<KeyRingOptions, "random"> & {
  readonly applicationName: string;
  readonly now: () => Date;
};

function createMemoryRing({ applicationName, random, now }: MemoryRingOptions): KeyRing {
  const secret = random(KEY_BYTES);
  const file = { secret, number: 0, createdAt: now(), isWrapped: false };
  const key = { ...file, ...ringKeyOf(secret, applicationName) };
  const loaded: LoadedKeys = {
    all: () => [key],
    oldest: () => key,
    newest: () => key,
    find: (id) => (id === key.id ? key : undefined),
    descriptions: () => describe([key]),
    read: async () => undefined,
    readSoon: async () => undefined,
    place: "this process has",
  };
  return {
    ...ringOf(loaded, random),
    warnings: [NO_PATH],
    isNew: true,
    rotate: async () => undefined,
    wrapFiles: async () => 0,
  };
}

const NO_PATH =
  "The key ring has no folder (Host__DataProtection__KeyPath), so its key exists only in this " +
  "process: credentials that are saved now cannot be decrypted after a restart.";

function describe(keys: readonly LoadedKey[]): readonly KeyDescription[] {
  return keys.map(({ id, number, createdAt, isWrapped }, index) => ({
    id,
    number,
    createdAt,
    isWrapped,
    isNewest: index === keys.length - 1,
  }));
}

function unknownKey(id: string, place: string): string {
  return (
    `The data is encrypted with the key ${id}, which is not among those ${place}. ` +
    `Restore that key file (and Host__DataProtection__ApplicationName), or enter the secret again.`
  );
}
