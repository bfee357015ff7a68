/**
 * - `storage-too-large`: the body has more bytes than the caller allows;
 * - `storage-not-found`: the object is not there (any more);
 * - `storage-invalid-key`: no object can have this key, or it leads out of the store;
 * - `storage-full`: the store has no room left; nothing was written;
 * - `storage-read-only`: the store takes no changes;
 * - `storage-unavailable`: the store cannot be used now; `cause` says why.
 */
export type StorageErrorCode =
  | "storage-too-large"
  | "storage-not-found"
  | "storage-invalid-key"
  | "storage-full"
  | "storage-read-only"
  | "storage-unavailable";

export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const CODES: Readonly<Record<string, StorageErrorCode>> = {
  ENOENT: "storage-not-found",
  ENOTDIR: "storage-invalid-key",
  EISDIR: "storage-invalid-key",
  ELOOP: "storage-invalid-key",
  ENAMETOOLONG: "storage-invalid-key",
  ENOSPC: "storage-full",
  EDQUOT: "storage-full",
  EFBIG: "storage-full",
  EROFS: "storage-read-only",
};

const REASONS: Readonly<Partial<Record<StorageErrorCode, string>>> = {
  "storage-not-found": "it is not there",
  "storage-invalid-key": "something else has that name",
  "storage-full": "the disk is full",
  "storage-read-only": "the file system is read-only",
};

/** Errors of the operating system become a `StorageError`; all others are returned as they are. */
export function storageErrorOf(error: unknown, doing: string): unknown {
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  const known = CODES[code] ?? "storage-unavailable";
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
