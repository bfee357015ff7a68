/**
 * - `storage-too-large`: the body exceeds the caller's limit;
 * - `storage-not-found`: the object does not exist;
 * - `storage-staged-lost`: the bytes of a body were removed before `keep` made them durable; the
 *   client can send them again;
 * - `storage-invalid-key`: the key is invalid or points outside the store;
 * - `storage-full`: the store has no space left; nothing was written;
 * - `storage-read-only`: the store is read-only;
 * - `storage-unavailable`: the store is unavailable; `cause` contains the reason.
 */
export type StorageErrorCode =
  | "storage-too-large"
  | "storage-not-found"
  | "storage-staged-lost"
  | "storage-invalid-key"
  | "storage-full"
  | "storage-read-only"
  | "storage-unavailable";

/** An error of an object store. */
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

/** Converts errors of the operating system to `StorageError`; returns all others unchanged. */
export function storageErrorOf(error: unknown, doing: string): unknown {
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  const errorCode = CODES[code] ?? "storage-unavailable";
  const reason = REASONS[errorCode] ?? "the storage does not answer as it should";
  return new StorageError(errorCode, `cannot ${doing}: ${reason} (${code})`, { cause: error });
}

/** Converts `storage-not-found` of bytes that a client is sending to `storage-staged-lost`. */
export function stagedErrorOf(error: unknown): unknown {
  if (!(error instanceof StorageError) || error.code !== "storage-not-found") return error;
  return new StorageError("storage-staged-lost", error.message, { cause: error });
}

/** Runs work on bytes that are not durable yet. Rejects with `storage-staged-lost` when they are
 * gone. */
export async function withStagedErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw stagedErrorOf(error);
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = systemCodeOf(error);
  return code !== undefined && codes.includes(code);
}

function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("errno" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
