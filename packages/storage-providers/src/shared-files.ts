import { createHash } from "node:crypto";
import { parseObjectKey } from "./object-store.ts";
import type { ObjectKey, ObjectStore } from "./object-store.ts";
import { StorageError } from "./storage-error.ts";

const BYTES_MAX = 1024 * 1024;

/** A small file that one of many writers replaces. */
export type SharedFile = {
  /** Resolves to undefined when the file does not exist. */
  read(): Promise<Uint8Array | undefined>;
  /**
   * Replaces the file if its content is `before`; undefined requires that it does not exist. Of
   * concurrent writers one gets "written"; the others then read its file.
   */
  write(bytes: Uint8Array, before: Uint8Array | undefined): Promise<"written" | "exists">;
};

/** Small files in an object store, by path; all instances share them. */
export type SharedFiles = {
  /** The object key of a path; undefined for what cannot be a key, such as an absolute path. */
  keyOf(path: string): string | undefined;
  /** Resolves to the content; "too-large" above 1 MiB, undefined when the file does not exist. */
  read(path: string): Promise<Uint8Array | "too-large" | undefined>;
  /** Resolves to a text that changes with the file; undefined when the file does not exist. */
  version(path: string): Promise<string | undefined>;
  /** @throws StorageError for a path that is not an object key */
  file(path: string): SharedFile;
};

/** Opens the small files of an object store. */
export function createSharedFiles(store: ObjectStore): SharedFiles {
  return {
    keyOf,
    async read(path) {
      const key = keyOf(path);
      const storedObject = key && (await store.read(key));
      if (!storedObject) return undefined;
      if (storedObject.info.size > BYTES_MAX) return "too-large";
      return Buffer.concat(await Array.fromAsync(storedObject.body));
    },
    async version(path) {
      const key = keyOf(path);
      const info = key && (await store.stat(key));
      return info ? `${info.size} ${info.modifiedAt.getTime()}` : undefined;
    },
    file: (path) => createSharedFile(store, path),
  };
}

function keyOf(path: string): ObjectKey | undefined {
  try {
    return parseObjectKey(path.replaceAll("\\", "/"));
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

/**
 * Opens a file that several instances may replace at the same time.
 *
 * Stores cannot replace an object on condition that it is unchanged, but each store lets one of
 * many writers be the first. A writer therefore writes the new file under a name made from the old
 * one; the first writer has won. The others put the winner's file in its place, in case the winner
 * was killed. (An instance that stops between reading and writing while others renew once more can
 * write its own file; all instances accept it within a minute.)
 */
export function createSharedFile(store: ObjectStore, path: string): SharedFile {
  const key = parseObjectKey(path);
  return {
    read: () => read(store, key),
    write: (bytes, before) =>
      before ? replace(store, key, { bytes, before }) : keep(store, key, bytes),
  };
}

async function replace(
  store: ObjectStore,
  key: ObjectKey,
  { bytes, before }: { readonly bytes: Uint8Array; readonly before: Uint8Array },
): Promise<"written" | "exists"> {
  const claim = parseObjectKey(`${key}.after-${digestOf(before).slice(0, 16)}`);
  const outcome = await keep(store, claim, bytes);
  const successor = outcome === "written" ? bytes : await read(store, claim);
  // No claim remains, so the winner has finished.
  if (!successor) return "exists";
  const current = await read(store, key);
  const isInTime = current !== undefined && digestOf(current) === digestOf(before);
  if (isInTime) await store.write(key, bodyOf(successor), { existing: "replace" });
  await store.delete(claim);
  return isInTime ? outcome : "exists";
}

async function keep(
  store: ObjectStore,
  key: ObjectKey,
  bytes: Uint8Array,
): Promise<"written" | "exists"> {
  const { status } = await store.write(key, bodyOf(bytes), { existing: "keep" });
  return status;
}

async function read(store: ObjectStore, key: ObjectKey): Promise<Uint8Array | undefined> {
  const storedObject = await store.read(key);
  if (!storedObject) return undefined;
  if (storedObject.info.size > BYTES_MAX) throw new RangeError(`${key} is larger than 1 MiB`);
  try {
    return Buffer.concat(await Array.fromAsync(storedObject.body));
  } catch (error) {
    // Deleted since the lookup.
    if (error instanceof StorageError && error.code === "storage-not-found") return undefined;
    throw error;
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
