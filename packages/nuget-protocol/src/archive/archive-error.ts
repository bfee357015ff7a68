import { ZipError } from "@sealhouse/zip-archive";

/** The file is not a package archive, or unpacking it could do harm. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  readonly code = "archive-invalid";
  /** Whether bytes are missing or wrong, as after a broken transfer. */
  readonly isDamage: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isDamage?: boolean } = {}) {
    super(message, options);
    this.isDamage = options.isDamage ?? false;
  }
}

/** @throws {ArchiveError} where the archive is refused */
export async function withArchiveErrors<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (cause) {
    if (!(cause instanceof ZipError)) throw cause;
    if (cause.problem === "zip64") throw zip64();
    throw new ArchiveError(cause.message, { cause, isDamage: true });
  }
}

export function zip64(): ArchiveError {
  return new ArchiveError("The archive uses ZIP64, which package signatures do not allow.");
}

/** Returns true for an error of zlib about the bytes that it decompresses. */
export function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
