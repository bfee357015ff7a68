/**
 * - `too-large`: the body has more bytes than the caller allows;
 * - `not-found`: the object is not there (any more);
 * - `invalid-key`: no object can have this key, or it leads out of the store;
 * - `full`: the store has no room left; nothing was written;
 * - `read-only`: the store takes no changes;
 * - `unavailable`: the store cannot be used now; `cause` says why.
 */
export type StorageErrorCode =
  | "too-large"
  | "not-found"
  | "invalid-key"
  | "full"
  | "read-only"
  | "unavailable";

export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const CODES: Readonly<Record<string, StorageErrorCode>> = {
  ENOENT: "not-found",
  ENOTDIR: "invalid-key",
  EISDIR: "invalid-key",
  ELOOP: "invalid-key",
  ENAMETOOLONG: "invalid-key",
  ENOSPC: "full",
  EDQUOT: "full",
  EFBIG: "full",
  EROFS: "read-only",
};

const REASONS: Readonly<Partial<Record<StorageErrorCode, string>>> = {
  "not-found": "it is not there",
  "invalid-key": "something else has that name",
  full: "the disk is full",
  "read-only": "the file system is read-only",
};

/** Errors of the operating system become a `StorageError`; all others are returned as they are. */
export function storageErrorOf(error: unknown, doing: string): unknown {
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  const known = CODES[code] ?? "unavailable";
  const reason = REASONS[known] ?? "the storage does not answer as it should";
  return new StorageError(known, `cannot ${doing}: ${reason} (${code})`, { cause: error });
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = systemCodeOf(error);
  return code !== undefined && codes.includes(code);
}

function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("errno" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
