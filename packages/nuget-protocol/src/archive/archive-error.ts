/** A file that is no package archive, or one that could hurt whoever unpacks it. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

/** What unpacking says of bytes that are wrong. */
export function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
