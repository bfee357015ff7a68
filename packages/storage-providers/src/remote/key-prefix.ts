import type { ObjectKey } from "../object-store.ts";
import { parseObjectKey } from "../object-store.ts";
import { StorageError } from "../storage-error.ts";
import { StorageSettingError } from "../storage-type.ts";

/** Converts keys of the store to names in a bucket, and back. */
export type KeyPrefix = {
  nameOf(key: ObjectKey): string;
  /** The name with which all listed names begin. */
  listed(prefix: string): string;
  /** Undefined for a name that the store cannot have written. */
  keyOf(name: string): ObjectKey | undefined;
};

/**
 * Creates the conversion for `Storage__Prefix`: undefined, or segments such as `feeds/acme`, with
 * or without a slash at either end.
 *
 * @throws {StorageSettingError} when it is not an object key
 */
export function createKeyPrefix(text: string | undefined): KeyPrefix {
  const folder = folderOf(text);
  return {
    nameOf: (key) => folder + key,
    listed: (prefix) => folder + prefix,
    keyOf(name) {
      return name.startsWith(folder) ? parsed(name.slice(folder.length)) : undefined;
    },
  };
}

function folderOf(text = ""): string {
  const segments = text.trim().replaceAll(/^\/+|\/+$/g, "");
  if (segments === "") return "";
  if (parsed(segments) !== undefined) return `${segments}/`;
  throw new StorageSettingError(
    "Storage__Prefix",
    `"${text}" is not a prefix: segments of letters, digits and . _ @ + ~ : -, separated by /`,
  );
}

function parsed(text: string): ObjectKey | undefined {
  try {
    return parseObjectKey(text);
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}
